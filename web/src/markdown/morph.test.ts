import { describe, expect, it } from "vitest";
import { splitHtml } from "./highlight-parts";
import { morph } from "./morph";
import { toFragment } from "./sanitize";
import { keepSelection } from "./selection";

function element(html: string): HTMLElement {
  const div = document.createElement("div");
  div.append(toFragment(html));
  document.body.append(div);
  return div;
}

describe("morph", () => {
  it.each([
    ["<p>one</p>", "<p>one two</p>"],
    ["<p>one <em>t</em></p>", "<p>one <em>two</em> three</p>"],
    ["<p>one</p><ul><li>a</li></ul>", "<p>one</p>"],
    ["<p>one</p>", "<h2>one</h2>"],
    ['<p><a href="https://a.example">a</a></p>', '<p><a href="https://b.example" title="b">a</a></p>'],
  ])("makes %s equal to %s", (before, after) => {
    const live = element(before);
    morph(live, toFragment(after));
    expect(live.isEqualNode(element(after))).toBe(true);
  });

  it("keeps the nodes that only grow", () => {
    const live = element("<p>one <em>two</em></p>");
    const nodes = [live.querySelector("p"), live.querySelector("em"), live.querySelector("em")!.firstChild];
    morph(live, toFragment("<p>one <em>two and</em> more</p><p>end</p>"));
    expect([live.querySelector("p"), live.querySelector("em"), live.querySelector("em")!.firstChild]).toEqual(nodes);
  });
});

describe("keepSelection", () => {
  it("selects the same text in other nodes", () => {
    const live = element("let a = 1");
    getSelection()!.setBaseAndExtent(live.firstChild!, 2, live.firstChild!, 7);
    keepSelection(live, () => live.replaceChildren(toFragment('<span class="hljs-keyword">let</span> a = 1')));
    expect(getSelection()!.toString()).toBe("t a =");
  });
});

describe("splitHtml", () => {
  it("opens elements again that go on in the next piece", () => {
    const html = 'a\n<span class="x">b\nc <span class="y">d\ne</span></span>\nf\n';
    expect(splitHtml(html, [2, 1, 2])).toEqual([
      'a\n<span class="x">b\n</span>',
      '<span class="x">c <span class="y">d\n</span></span>',
      '<span class="x"><span class="y">e</span></span>\nf\n',
    ]);
  });
});
