import { afterEach, describe, expect, it, vi } from "vitest";
import { BlockRenderer } from "./blocks";
import { hostileTexts } from "./hostile";
import { toFragment } from "./sanitize";
import { settle } from "./settle";

afterEach(() => vi.restoreAllMocks());

describe("settle", () => {
  it.each([
    ["plain text ", "plain text "],
    ["some **bo", "some **bo**"],
    ["some **bold ", "some **bold**"],
    ["some **bold*", "some **bold**"],
    ["some **", "some"],
    ["some *", "some"],
    ["*a **b", "*a **b***"],
    ["**a** b", "**a** b"],
    ["~~gone", "~~gone~~"],
    ["2*3 is 6 and 2 * 3", "2*3 is 6 and 2 * 3"],
    ["snake_case_name", "snake_case_name"],
    ["run `ls -l", "run `ls -l`"],
    ["run `", "run"],
    ["use ``a`b`", "use ``a`b``"],
    ["see [the docs", "see"],
    ["see [the docs]", "see"],
    ["see [the docs](https://exa", "see the docs"],
    ["see [the docs](https://example.com).", "see [the docs](https://example.com)."],
    ["see ![a picture](https://exa", "see a picture"],
    ["cited [1", "cited"],
    ["cited [1] here", "cited [1] here"],
    ["so $x + ", "so"],
    ["so $x$ is", "so $x$ is"],
    ["so $$x + ", "so"],
    ["so \\(x", "so"],
    ["$$\n\\frac", ""],
    ["\\[\nx\n\ny", ""],
    ["It costs $5 in the small shop around the corner", "It costs $5 in the small shop around the corner"],
    ["a <su", "a"],
    ["a < b", "a < b"],
    ["AT&am", "AT"],
    ["text\n-", "text"],
    ["text\n--", "text"],
    ["- one\n- ", "- one"],
    ["- one\n- **two", "- one\n- **two**"],
    ["#", ""],
    ["| a | b |", ""],
    ["text\n| a | b |\n|--", "text"],
    ["| a | b |\n|---|---|\n| 1 | **2", "| a | b |\n|---|---|\n| 1 | **2**"],
    ["```g", ""],
    ["```go\nx **y", "```go\nx **y"],
    ["```go\nx\n``", "```go\nx\n"],
    ["- a\n  ```go\n  x **y", "- a\n  ```go\n  x **y"],
    ["<details>\n<summary>Mo", "<details>\n<summary>Mo</summary>\n</details>"],
    [
      "<details>\n<summary>More</summary>\n\nsome **b",
      "<details>\n<summary>More</summary>\n\nsome **b**\n\n</details>",
    ],
  ])("%j is shown as %j", (source, shown) => expect(settle(source)).toBe(shown));

  it.each(Object.entries(hostileTexts))("%j ends", (_, make) => {
    expect(settle(make(20_000)).length).toBeLessThan(21_000);
  });
});

describe("a live text", () => {
  const reply =
    "Some **bold** and *italic* with `code`, $x^2$ and [a link](https://example.com).\n\n" +
    "$$\n\\int f\n$$\n\n| a | b |\n|---|---|\n| **1** | 2 |\n\n- **Name**: *text*\n- `more`\n\n" +
    "```go\nx := 1\n```\n\n> quote **b**\n\nThe end.";

  it("never shows its marks", () => {
    vi.spyOn(performance, "now").mockReturnValue(0); // a slow page would show it plain until it is parsed
    const renderer = new BlockRenderer({ parse: () => {}, cancel: () => {} }, () => {});
    for (let length = 1; length < reply.length; length++) {
      const page = document.createElement("div");
      page.append(...renderer.render(reply.slice(0, length), true).map((piece) => toFragment(piece.html)));
      expect(page.textContent, reply.slice(0, length)).not.toMatch(/[*`$|[\]#>]|https:|--/);
    }
  });
});
