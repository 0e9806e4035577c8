import { language } from "../i18n/index.svelte";

let chinese: Record<string, string> = $state.raw({});

/** Loads the descriptions in the user's language. */
export async function loadDescriptions(): Promise<void> {
  if (language() === "zh") chinese = (await import("./descriptions.zh.json")).default;
}

/** Returns a description of openapi.json in the user's language. A test checks that none is missing. */
export function tell(text: string): string {
  return language() === "zh" ? (chinese[text] ?? text) : text;
}

/** An error that an operation can return. */
export interface Refusal {
  code: string;
  message: string;
}

/** Reads the description of a status, which has a paragraph such as "1003: wrong password" for each error. */
export function refusals(description: string): Refusal[] {
  return description.split("\n\n").map((line) => {
    const [, code = "", message = line] = /^(\d{4}): (.*)$/s.exec(line) ?? [];
    return { code, message: tell(message) };
  });
}
