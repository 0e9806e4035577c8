import { describe, expect, it, vi } from "vitest";
import * as operations from "../api/operations";
import type { Hit } from "../api/types";
import { splitAtPlace } from "./palette.svelte";
import { messages } from "./palette-providers";
import { plainSnippet } from "./plain-snippet";

vi.mock("../api/operations");

/** The plain snippet of a text whose match is in «», with the match in «». */
function shown(text: string): string {
  const [before, found, after] = text.split(/[«»]/) as [string, string, string];
  const match = { start: [...before].length, length: [...found].length };
  const plain = plainSnippet(before + found + after, match);
  const [start, marked, end] = splitAtPlace(plain.snippet, plain.match, Infinity);
  return `${start}«${marked}»${end}`;
}

describe("plainSnippet", () => {
  it.each([
    ["no markup", "The next «ferry» leaves at 7.", "The next «ferry» leaves at 7."],
    ["bold", "The **«ferry»** to **Capri**", "The «ferry» to Capri"],
    ["bold within a match", "the **next** «ferry **to** Capri»", "the next «ferry **to** Capri»"],
    ["bold between Chinese characters", "这是**去卡普里的«渡船»**时刻", "这是去卡普里的«渡船»时刻"],
    ["bold that is cut off", "…early:** the «ferry» is **chea…", "…early: the «ferry» is chea…"],
    ["italics", "the *next* _«ferry»_, ***now***", "the next «ferry», now"],
    ["struck out", "the ~~bus~~ «ferry»", "the bus «ferry»"],
    ["code", "run `«ferry» --now` or ``a``", "run «ferry» --now or a"],
    ["a block of code", "so: ```go func «ferry»(a *int) {} ```", "so: func «ferry»(a *int) {} "],
    ["code that is cut off", "…now` or ```sh «ferry»", "…now or sh «ferry»"],
    ["markup in code", "`2 **a** __b__` «ferry»", "2 **a** __b__ «ferry»"],
    ["a link", 'the [«ferry»](https://x.y/z "now") and ![a picture](p.png).', "the «ferry» and a picture."],
    ["a match in a link's address", "the [boat](https://x.y/«ferry»)", "the [boat](https://x.y/«ferry»)"],
    ["a link that is cut off", "«ferry» [times](https://exam…", "«ferry» times"],
    ["headings", "## Ships ### The «ferry»", "Ships The «ferry»"],
    ["a table", "| Ship | Time | |---|:---:| | «ferry» | 7 |", "| Ship | Time |  | «ferry» | 7 |"],
    ["signs that are no markup", "«2**10», 2 * 3 * 4, a_b_c, C# #1 [x] 5*", "«2**10», 2 * 3 * 4, a_b_c, C# #1 [x] 5*"],
    ["a match that is markup", "«**»bold** and a ferry", "«**»bold and a ferry"],
    ["characters of two units", "🚢 **🚢** «渡船» **🚢**", "🚢 🚢 «渡船» 🚢"],
  ])("shows %s", (_, text, plain) => expect(shown(text)).toBe(plain));
});

it("makes the snippets of messages in the palette plain", async () => {
  const hit = { kind: "message", timestamp: 1, snippet: "The **ferry**", match: { start: 6, length: 5 } } as Hit;
  vi.mocked(operations.search).mockResolvedValue({ hits: [hit], total: 1 });
  const { items } = await messages()[1].find("ferry", new AbortController().signal);
  const [item] = items;
  expect(item).toMatchObject({ snippet: "The ferry", match: { start: 4, length: 5 } });
});
