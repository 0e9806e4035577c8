import { afterEach, describe, expect, it } from "vitest";
import { blockWork, countCells, inlineWork } from "./lexer";
import { hostileTexts } from "./hostile";
import { type Block, type Limits, MarkdownParser } from "./parse";

const parser = new MarkdownParser();
const limits: Limits = { length: 120_000, work: 500_000_000, elements: 10_000 };

/** How many characters of HTML a character of text may become, besides the elements. */
const maxGrowth = 16;

/** Returns the processor time of a run in milliseconds. Other programs don't count. */
function cost(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

// Lets this process respond to vitest, which otherwise gives it up after a minute.
afterEach(() => new Promise((resolve) => setTimeout(resolve)));

describe("a hostile text", () => {
  parser.parse("# warm\n\nup *the* [parser](https://example.com)\n\n- a\n- b\n", limits);

  it.each(Object.entries(hostileTexts))("%j takes time linear in its length", (_, make) => {
    const short = make(7500);
    const long = make(120_000);
    const before = Math.max(
      20,
      cost(() => parser.parse(short, limits)),
    );
    const after = cost(() => parser.parse(long, limits));
    // 16 times the length. Quadratic time would be 256 times as long.
    expect(after / before).toBeLessThan(100);
  });

  it.each(Object.entries(hostileTexts))("%j stays within its limits", (_, make) => {
    for (const length of [2000, 120_000]) {
      const text = make(length);
      const { blocks } = parser.parse(text, limits);
      expect(blocks.reduce((sum, block) => sum + block.length, 0)).toBe(text.length);
      const size = blocks.reduce((sum, block) => sum + block.html.length, 0);
      expect(size).toBeLessThan(maxGrowth * text.length + 100 * limits.elements);
      const elements = blocks.reduce((sum, block) => sum + shown(block).split(/<[a-z]/).length - 1, 0);
      expect(elements).toBeLessThan(limits.elements + 2000); // the parts of plain text
    }
  });
});

/** Returns what is shown of a block: a part that continues another is shown without what is around it. */
function shown({ html, continues }: Block): string {
  return continues ? html.slice(html.search(/<li|<tbody>|<code>/)) : html;
}

describe("the estimate of the work", () => {
  it("is small for usual texts", () => {
    const paragraph = "Some **words** in a sentence with `code` in it, and a [link](https://example.com).\n".repeat(8);
    expect(inlineWork(paragraph, 3)).toBeLessThan(1_000_000);
    expect(blockWork(`${paragraph}\n- one\n- two\n\n`.repeat(20))).toBeLessThan(40_000_000);
  });

  it("is quadratic for one paragraph, and linear for many", () => {
    expect(inlineWork("**a_".repeat(1000), 0)).toBeGreaterThan(3.9 * inlineWork("**a_".repeat(500), 0));
    expect(blockWork("--\n".repeat(2000))).toBeGreaterThan(3 * blockWork("--\n".repeat(1000)));
    expect(blockWork("a\n\n".repeat(2000))).toBeLessThan(2.1 * blockWork("a\n\n".repeat(1000)));
  });
});

describe("countCells", () => {
  it.each([
    ["| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n", 8],
    ["a|b\n-|-", 2],
    ["a\n- b\n- c\n", 0],
    ["a\n---\nb", 0],
    ["a | b\nc | d\n", 0],
    ["a", 0],
  ])("%j", (source, cells) => expect(countCells(source)).toBe(cells));

  it("counts the cells that fill up short rows", () => {
    expect(countCells(`${"|a".repeat(100)}\n${"|-".repeat(100)}\n${"|\n".repeat(100)}`)).toBeGreaterThan(10_000);
  });
});
