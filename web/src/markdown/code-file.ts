import { saveAs } from "../shared/save-as";

/** The endings of files whose language has another name. */
const endings: Record<string, string> = {
  bash: "sh",
  batch: "bat",
  console: "txt",
  csharp: "cs",
  "c++": "cpp",
  "c#": "cs",
  elixir: "ex",
  erlang: "erl",
  fsharp: "fs",
  golang: "go",
  haskell: "hs",
  javascript: "js",
  jsonc: "json",
  julia: "jl",
  kotlin: "kt",
  latex: "tex",
  markdown: "md",
  mermaid: "mmd",
  "objective-c": "m",
  objectivec: "m",
  ocaml: "ml",
  patch: "diff",
  perl: "pl",
  plsql: "sql",
  powershell: "ps1",
  protobuf: "proto",
  py3: "py",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  terraform: "tf",
  typescript: "ts",
  yml: "yaml",
  zsh: "sh",
};

/** The languages whose names are their endings. */
const same = new Set(
  (
    "bat c cpp cs css csv dart diff ex go h hpp hs html ini java jl js json jsx kt less lua md mjs ml php pl proto ps1 " +
    "py r rb rs sass scala scss sh sql svelte svg swift tex tf toml ts tsx vb vue xml yaml zig graphql"
  ).split(" "),
);

/** The names of files that have no ending. */
const names: Record<string, string> = { dockerfile: "Dockerfile", makefile: "Makefile", make: "Makefile" };

/** Returns a name for code in a language. The model chooses the language, so only endings that are known are used. */
export function codeFileName(language: string): string {
  const name = language.toLowerCase();
  if (Object.hasOwn(names, name)) return names[name]!;
  const ending = Object.hasOwn(endings, name) ? endings[name] : same.has(name) ? name : "txt";
  return `code.${ending}`;
}

/** Saves code as a file. */
export function saveCode(code: string, language: string): void {
  // Some browsers add .txt to what is text.
  saveAs(new Blob([code], { type: "application/octet-stream" }), codeFileName(language));
}
