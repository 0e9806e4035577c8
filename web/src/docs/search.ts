import type { Guide } from "../../build/guides";
import type { Field, Group } from "./document";
import { fields, resultFields } from "./document";

/** An entry of the contents. */
export interface Entry {
  id: string;
  title: string;
  method?: string;
  /** What a search looks in, in lower case. */
  text: string;
}

export interface Chapter {
  title: string;
  entries: Entry[];
}

/** Returns the contents of the page: the guides, and the operations by group. */
export function contents(
  guidesTitle: string,
  guides: Guide[],
  groups: Group[],
  tell: (text: string) => string,
): Chapter[] {
  const chapters = [
    { title: guidesTitle, entries: guides.map(({ id, title, parts }) => guideEntry(id, title, parts)) },
    ...groups.map((group) => ({
      title: tell(group.name),
      entries: group.operations.map((operation) => {
        const { id, method, path, summary, description, parameters, body } = operation;
        const names = [
          ...parameters.map(({ name }) => name),
          ...flatNames(body ? fields(body.schema) : []),
          ...flatNames(resultFields(operation)),
        ];
        const title = tell(summary);
        const text = [title, summary, id, method, path, tell(description), ...names].join(" ").toLowerCase();
        return { id, title, method, text };
      }),
    })),
  ];
  return chapters.filter(({ entries }) => entries.length > 0);
}

function guideEntry(id: string, title: string, parts: Guide["parts"]): Entry {
  const plain = parts.map(({ html }) => html.replace(/<[^>]+>/g, " ")).join(" ");
  return { id, title, text: `${title} ${plain}`.toLowerCase() };
}

const flatNames = (list: Field[]): string[] => list.flatMap(({ name, fields }) => [name, ...flatNames(fields)]);

/** Returns the entries that contain every word of a query. Those with the words in the title come first. */
export function find(chapters: Chapter[], query: string): Chapter[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return chapters;
  const isIn = (text: string) => words.every((word) => text.includes(word));
  return chapters
    .map(({ title, entries }) => {
      const found = entries.filter((entry) => isIn(entry.text));
      const byTitle = (entry: Entry) => (isIn(entry.title.toLowerCase()) ? 0 : 1);
      return { title, entries: found.sort((a, b) => byTitle(a) - byTitle(b)) };
    })
    .filter(({ entries }) => entries.length > 0);
}
