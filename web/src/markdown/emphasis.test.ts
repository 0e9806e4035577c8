import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MarkdownParser } from "./parse";

// The server reads the same texts the same way, for exports.
const file = "../internal/markdown/testdata/emphasis.json";
const meanings = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;

/** Returns the HTML of a text without paragraphs and attributes. */
function inline(text: string): string {
  const parsed = new MarkdownParser().parse(text, { length: 1000, work: 1e9, elements: 1000 });
  const html = parsed.blocks.map((block) => block.html).join("");
  return html
    .replace(/<\/?p>|(?<=<a) [^>]*/g, "")
    .replaceAll("&quot;", '"')
    .trim();
}

describe("emphasis", () => {
  it.each(Object.entries(meanings))("%s", (text, meaning) => {
    expect(inline(text)).toBe(meaning);
  });
});
