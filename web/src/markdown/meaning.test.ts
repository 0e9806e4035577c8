import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MarkdownParser } from "./parse";

// The server reads the same texts the same way, for exports.
const meaningsOf = (name: string) =>
  Object.entries(
    JSON.parse(readFileSync(`../internal/markdown/testdata/${name}.json`, "utf8")) as Record<string, string>,
  );

function htmlOf(text: string): string {
  const parsed = new MarkdownParser().parse(text, { length: 1000, work: 1e9, elements: 1000 });
  return parsed.blocks.map((block) => block.html).join("");
}

/** Returns the HTML of a text without paragraphs and attributes. */
function inline(text: string): string {
  return htmlOf(text)
    .replace(/<\/?p>|(?<=<a) [^>]*/g, "")
    .replaceAll("&quot;", '"')
    .trim();
}

describe("emphasis", () => {
  it.each(meaningsOf("emphasis"))("%s", (text, meaning) => {
    expect(inline(text)).toBe(meaning);
  });
});

describe("formulas, footnotes and details", () => {
  it.each(meaningsOf("blocks"))("%s", (text, meaning) => {
    expect(htmlOf(text).replaceAll("\n", "").replaceAll("&quot;", '"')).toBe(meaning.replaceAll("\n", ""));
  });
});
