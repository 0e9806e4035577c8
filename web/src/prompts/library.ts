import type { Prompt } from "./api";

/** How many prompts the menu shows. */
const maxShown = 50;
/** How many blanks a user is asked for. The others stay as they are. */
const maxBlanks = 50;

/** Returns the prompts that contain a text, those with the text in their name first. */
export function findPrompts(prompts: Prompt[], text: string): Prompt[] {
  const wanted = text.trim().toLowerCase();
  const has = (field: string) => field.toLowerCase().includes(wanted);
  const named = prompts.filter(({ name }) => has(name));
  const others = prompts.filter((prompt) => !has(prompt.name) && has(prompt.text));
  return [...named, ...others].slice(0, maxShown);
}

const blank = /\{\{([^{}\n]*[^{}\s][^{}\n]*)\}\}/g;

/** Returns the names of the blanks of a prompt in their order, each once. */
export function blanksOf(text: string): string[] {
  const names = [...text.matchAll(blank)].map(([, name]) => name!.trim());
  return [...new Set(names)].slice(0, maxBlanks);
}

/** Returns a prompt with its blanks filled in. */
export function fillIn(text: string, values: Map<string, string>): string {
  return text.replace(blank, (mark, name: string) => values.get(name.trim()) ?? mark);
}
