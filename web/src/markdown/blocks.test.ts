import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer } from "./background";
import { BlockRenderer } from "./blocks";
import { type Limits, MarkdownParser } from "./parse";

// A slow machine must not run out of time.
beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(0));

const parser = new MarkdownParser((code, _, maxLength) => (code.length > maxLength ? null : `<span>${code}</span>`));

/** A background that answers when it is told to. */
class Background {
  asked: { text: string; limits: Limits; answer: Answer }[] = [];
  parse(_: object, text: string, limits: Limits, answer: Answer): void {
    this.asked.push({ text, limits, answer });
  }
  cancel(): void {}
  answer(): void {
    const { text, limits, answer } = this.asked.shift()!;
    answer(parser.parse(text, limits));
  }
  timeOut(): void {
    this.asked.shift()!.answer(null);
  }
}

let background: Background;
let changes: number;
let renderer: BlockRenderer;
beforeEach(() => {
  background = new Background();
  changes = 0;
  renderer = new BlockRenderer(background, () => changes++);
});

const hostile = "**a_".repeat(3000);
const long = "Some *words*.\n\n".repeat(1500);

describe("BlockRenderer", () => {
  it("renders a usual text at once", () => {
    const text = "# Title\n\nSome **words** and `code`.\n\n".repeat(50);
    expect(renderer.render(text)).toHaveLength(100);
    expect(background.asked).toEqual([]);
  });

  it("shows a long text plain until it is parsed in the background", () => {
    expect(renderer.render(long)[0]).toMatch(/^<p class="plain">/);
    expect(renderer.unformatted).toBe(false);
    background.answer();
    expect(changes).toBe(1);
    expect(renderer.render(long)).toHaveLength(1500);
    expect(renderer.render(long)[0]).toBe("<p>Some <em>words</em>.</p>\n");
    expect(background.asked).toEqual([]);
  });

  it("renders the rest of a text with a hostile paragraph at once", () => {
    const html = renderer.render(`# Title\n\n${hostile}\n\n*end*`);
    expect([html[0], html[2]]).toEqual(["<h1>Title</h1>\n", "<p><em>end</em></p>\n"]);
    background.answer();
    expect(renderer.render(`# Title\n\n${hostile}\n\n*end*`)[2]).toBe("<p><em>end</em></p>\n");
    expect(renderer.unformatted).toBe(true);
  });

  it("leaves a text plain that takes too long, and does not try again", () => {
    renderer.render(long);
    background.timeOut();
    expect(background.asked[0]!.limits.code).toBe(0); // perhaps it was the code
    background.timeOut();
    expect(renderer.render(long)).toHaveLength(1);
    expect(renderer.render(`${long}more`)[0]).toContain("more");
    expect(renderer.unformatted).toBe(true);
    expect(background.asked).toEqual([]);
  });

  it("asks for one state of a growing text at a time, and shows the last answer meanwhile", () => {
    renderer.render(long);
    renderer.render(`${long}one`);
    renderer.render(`${long}one two`);
    expect(background.asked).toHaveLength(1);
    background.answer();
    const shown = renderer.render(`${long}one two`);
    expect(shown).toHaveLength(1501);
    expect(shown[1500]).toBe("<p>one two</p>\n");
    expect(background.asked).toEqual([]);
  });

  it("starts over with another text, and ignores a late answer", () => {
    renderer.render(long);
    expect(renderer.render("other")).toEqual(["<p>other</p>\n"]);
    background.answer();
    expect(changes).toBe(0);
    expect(renderer.render("other")).toEqual(["<p>other</p>\n"]);
  });

  it("keeps what it shows when the highlighter is loaded", () => {
    renderer.render(long);
    background.answer();
    const before = renderer.render(long);
    expect(renderer.render(long, true)).toEqual(before);
    background.answer();
    expect(renderer.render(long, true)).toEqual(before);
  });

  it("understands all kinds of line breaks", () => {
    expect(renderer.render("a\r\n\r\nb\rc")).toEqual(["<p>a</p>\n", "<p>b\nc</p>\n"]);
  });
});

describe("formulas", () => {
  const math = (text: string) => {
    const element = document.createElement("div");
    element.innerHTML = renderer.render(text).join("");
    return [...element.querySelectorAll(".math")].map((formula) => [
      formula.textContent,
      formula.classList.contains("math-display"),
    ]);
  };

  it.each([
    ["$$\na\n\nb\n$$\nrest", [["a\n\nb", true]]],
    ["before $$a$$\nafter", [["a", true]]],
    ["before \\[a\\]  \nafter", [["a", true]]],
    [
      "$$a$$ in a line, $$b$$ too",
      [
        ["a", false],
        ["b", false],
      ],
    ],
    [
      "it costs $$5 and\n\n\\(c\\) is $d$",
      [
        ["c", false],
        ["d", false],
      ],
    ],
    ["$$a\n\n\\[b", []],
    [
      "text $$a$$ text\n\nmore $$b$$",
      [
        ["a", false],
        ["b", true],
      ],
    ],
    [`$$${"a".repeat(4000)}$$\n`, []],
  ])("%j", (text, formulas) => expect(math(text)).toEqual(formulas));
});
