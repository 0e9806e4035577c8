import type { Key } from "../i18n/en";

/** The kind of a file: the key of its name. */
export type Kind = Extract<Key, `kind.${string}`>;

const endings: [Kind, string][] = [
  ["kind.pdf", "pdf"],
  ["kind.document", "doc docx odt rtf"],
  ["kind.sheet", "xls xlsx ods csv tsv"],
  ["kind.slides", "ppt pptx odp"],
  ["kind.book", "epub"],
  ["kind.picture", "png jpg jpeg webp gif svg"],
  ["kind.web", "htm html xhtml mht mhtml"],
  ["kind.mail", "eml msg mbox"],
  ["kind.data", "json jsonl xml yaml yml toml"],
  ["kind.code", "c cc cpp cs css go h hpp ipynb java js jsx kt lua php py r rb rs scala sh sql swift ts tsx vue"],
];
const kinds: ReadonlyMap<string, Kind> = new Map(
  endings.flatMap(([kind, list]) => list.split(" ").map((ending) => [ending, kind])),
);

/** Returns the kind of a file by its name. */
export function kindOf(name: string): Kind {
  const ending = /\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? "";
  return kinds.get(ending) ?? "kind.text";
}
