import { beforeEach, describe, expect, it, vi } from "vitest";
import { BlockRenderer, type Piece } from "./blocks";
import { toFragment } from "./sanitize";

// A slow machine must not run out of time.
beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(0));

/** Returns a renderer that gets no answers from the background. */
const newRenderer = () => new BlockRenderer({ parse: () => {}, cancel: () => {} }, () => {});

/** Returns what is rendered at once as an element. */
function page(text: string): HTMLElement {
  const element = document.createElement("div");
  element.append(
    ...newRenderer()
      .render(text)
      .map((piece) => toFragment(piece.html)),
  );
  return element;
}

describe("what a reply may contain", () => {
  it.each([
    ["**bold** and `code`", "strong, code"],
    ["| a | b |\n|---|---:|\n| 1 | 2 |", "table td[align=right]"],
    ["- [x] done\n- [ ] open", "li .task"],
    ["3. three\n4. four", "ol[start='3'] li"],
    ["```go\nfunc main() {}\n```", "pre[data-language=go] code"],
    ["$a+b$ and $$c$$", ".math"],
    ["$$\na+b\n$$", ".math-display"],
    ["\\[a\\] ", ".math-display"],
    ["a<br>b<sub>2</sub>", "br, sub"],
    ["A fact.[^1]\n\n[^1]: Its *source*.", "p > sup.note-reference"],
    ["A fact.[^1]\n\n[^1]: Its *source*.\n[^b]: More", ".note > sup + em"],
    ["<details>\n<summary>**More**</summary>\n\n- one\n\n</details>", "details > summary > strong"],
    ["<details><summary>a</summary>\n\n<details>\n\n*b*\n\n</details>\n</details>", "details > details em"],
    ["https://example.com", "a[href='https://example.com'][rel~=noopener][target=_blank]"],
  ])("%s", (text, selector) => {
    expect(page(text).querySelector(selector)).not.toBeNull();
  });

  it("leaves money alone", () => {
    expect(page("It costs $5 to $10.").querySelector(".math")).toBeNull();
  });
});

describe("what a reply may not contain", () => {
  const attacks = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,x)",
    "[x](vbscript:x)",
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<form><input name=password><button>Log in</button></form>",
    '<a href="jav&#x09;ascript:alert(1)">x</a>',
    "<div style='position:fixed'>x</div>",
    '```"><img src=x onerror=alert(1)>\nx\n```',
    "$<img src=x onerror=alert(1)>$",
  ];
  const forbidden =
    "script, img, svg, math, iframe, form, input, button, style, link, object, embed, video, audio, div";

  it.each(attacks)("%s", (attack) => {
    const element = page(attack);
    expect(element.querySelector(forbidden)).toBeNull();
    for (const node of element.querySelectorAll("*")) {
      for (const { name, value } of node.attributes) {
        expect(name).not.toMatch(/^on|^style$|^src/);
        if (name === "href") expect(value).toMatch(/^(https?|mailto):/);
      }
    }
  });

  it.each([">".repeat(100_000), "- ".repeat(50_000), "[".repeat(100_000)])("deep nesting", (text) => {
    expect(page(text).textContent.length).toBeGreaterThan(40_000);
  });
});

describe("BlockRenderer", () => {
  const text =
    "# Title\n\nSome *text* that\ngoes on.\n\n- one\n- two\n\n  more\n\n" +
    "```js\nlet a = 1\n\nlet b\n```\n\n| a |\n|---|\n| 1 |\n\n> quote\n\nend";

  const shown = (pieces: Piece[]) => pieces.map(({ html, continues = false }) => ({ html, continues }));

  it.each([false, true])("renders a growing text like the whole text (live: %s)", (live) => {
    const renderer = newRenderer();
    for (let length = 1; length <= text.length; length++) renderer.render(text.slice(0, length), live);
    expect(shown(renderer.render(text))).toEqual(shown(newRenderer().render(text)));
  });

  it("starts over with another text", () => {
    const renderer = newRenderer();
    renderer.render(text);
    expect(shown(renderer.render("other"))).toEqual([{ html: "<p>other</p>\n", continues: false }]);
  });

  it("keeps finished blocks", () => {
    const renderer = newRenderer();
    const before = renderer.render("one\n\ntwo");
    const after = renderer.render("one\n\ntwo three\n\nfour");
    expect(after[0]).toBe(before[0]);
    expect(after).toHaveLength(3);
  });

  it.each([
    ["a list", "- an **item** with $x_{1}$\n".repeat(800), 795],
    ["a table", `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(300)}`, 290],
    ["code", `\`\`\`go\n${"x := 1\n".repeat(1000)}`, 9],
  ])("keeps the finished parts of %s", (_, whole, parts) => {
    const renderer = newRenderer();
    let before: Piece[] = [];
    for (let length = 50; length < whole.length; length += 50) {
      const after = renderer.render(whole.slice(0, length), true);
      const changed = before.slice(0, -1).findIndex((piece, index) => after[index]!.html !== piece.html);
      expect(changed).toBe(-1);
      before = after;
    }
    expect(before.length).toBeGreaterThan(parts);
    expect(before.slice(1).every((piece) => piece.continues)).toBe(true);
  });
});
