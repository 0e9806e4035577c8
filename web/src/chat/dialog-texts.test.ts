import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { formsOf, type Text } from "../i18n/plural";
import { en } from "./dialog-texts.en";
import { zh } from "./dialog-texts.zh";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

it("the texts of a chat's dialogs have the same placeholders in both languages, and are all used", () => {
  const source = ["ClearDialog", "ExpiryDialog", "MessageActions"]
    .map((name) => readFileSync(`src/chat/${name}.svelte`, "utf8"))
    .join("\n");
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const [key, text] of Object.entries<Text>(en) as [keyof typeof en, Text][]) {
    const wanted = placeholders(formsOf(text)[0]!);
    for (const form of [...formsOf(text), ...formsOf(zh[key])]) expect(placeholders(form), key).toEqual(wanted);
    expect(source.includes(`"${key}"`), key).toBe(true);
  }
});
