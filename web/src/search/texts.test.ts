import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { formsOf, type Text } from "../i18n/plural";
import { en } from "./texts.en";
import { zh } from "./texts.zh";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

it("the texts of the search have the same placeholders in both languages, and are all used", () => {
  const source = ["SearchPage.svelte", "SearchFilters.svelte", "SearchGroup.svelte"]
    .map((name) => readFileSync(`src/search/${name}`, "utf8"))
    .join("\n");
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const [key, text] of Object.entries<Text>(en) as [keyof typeof en, Text][]) {
    const wanted = placeholders(formsOf(text)[0]!);
    for (const form of [...formsOf(text), ...formsOf(zh[key])]) expect(placeholders(form), key).toEqual(wanted);
    expect(source.includes(`"${key}"`), key).toBe(true);
  }
});
