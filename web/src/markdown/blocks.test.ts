import { beforeEach, describe, expect, it, vi } from "vitest";
import { BlockRenderer } from "./blocks";
import type { Answer } from "./jobs";
import { type Limits, MarkdownParser, type Parsed } from "./parse";
import { toFragment } from "./sanitize";

// A slow machine must not run out of time.
beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(0));

const parser = new MarkdownParser();

/** A background that answers when it is told to. */
class Background {
  asked: { text: string; limits: Limits; answer: Answer<Parsed> }[] = [];
  parse(_: object, text: string, limits: Limits, answer: Answer<Parsed>): void {
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

const render = (text: string) => renderer.render(text).map((piece) => piece.html);

const hostile = "**a_".repeat(3000);
const long = "Some *words*.\n\n".repeat(1500);

describe("BlockRenderer", () => {
  it("renders a usual text at once", () => {
    const text = "# Title\n\nSome **words** and `code`.\n\n".repeat(50);
    expect(render(text)).toHaveLength(100);
    expect(background.asked).toEqual([]);
  });

  it("shows a long text plain until it is parsed in the background", () => {
    expect(render(long)[0]).toMatch(/^<p class="plain">/);
    expect(renderer.unformatted).toBe(false);
    background.answer();
    expect(changes).toBe(1);
    expect(render(long)).toHaveLength(1500);
    expect(render(long)[0]).toBe("<p>Some <em>words</em>.</p>\n");
    expect(background.asked).toEqual([]);
  });

  it("renders the rest of a text with a hostile paragraph at once", () => {
    const html = render(`# Title\n\n${hostile}\n\n*end*`);
    expect([html[0], html[2]]).toEqual(["<h1>Title</h1>\n", "<p><em>end</em></p>\n"]);
    background.answer();
    expect(render(`# Title\n\n${hostile}\n\n*end*`)[2]).toBe("<p><em>end</em></p>\n");
    expect(renderer.unformatted).toBe(true);
  });

  it("leaves a text plain that takes too long, and does not try again", () => {
    render(long);
    background.timeOut();
    expect(render(long)).toHaveLength(1);
    expect(render(`${long}more`)[0]).toContain("more");
    expect(renderer.unformatted).toBe(true);
    expect(background.asked).toEqual([]);
  });

  it("asks for one state of a growing text at a time, and shows the last answer meanwhile", () => {
    render(long);
    render(`${long}one`);
    render(`${long}one two`);
    expect(background.asked).toHaveLength(1);
    background.answer();
    const shown = render(`${long}one two`);
    expect(shown).toHaveLength(1501);
    expect(shown[1500]).toBe("<p>one two</p>\n");
    expect(background.asked).toEqual([]);
  });

  it("starts over with another text, and ignores a late answer", () => {
    render(long);
    expect(render("other")).toEqual(["<p>other</p>\n"]);
    background.answer();
    expect(changes).toBe(0);
    expect(render("other")).toEqual(["<p>other</p>\n"]);
  });

  it("understands all kinds of line breaks", () => {
    expect(render("a\r\n\r\nb\rc")).toEqual(["<p>a</p>\n", "<p>b\nc</p>\n"]);
  });
});

describe("formulas", () => {
  const math = (text: string) => {
    const element = document.createElement("div");
    element.append(...render(text).map(toFragment));
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
