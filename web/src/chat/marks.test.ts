import { describe, expect, it } from "vitest";
import { rangesOf } from "./marks";

function found(html: string, word: string): string[] {
  const element = document.createElement("div");
  element.innerHTML = html;
  return rangesOf(element, word).map(String);
}

describe("rangesOf", () => {
  it("finds a word in any case, also across elements", () => {
    expect(found("<p>The Ferry, the <b>fer</b>ry.</p>", "ferry")).toEqual(["Ferry", "ferry"]);
    expect(found("<p>去卡普里的渡船</p>", "渡船")).toEqual(["渡船"]);
    expect(found("<p>The train</p>", "ferry")).toEqual([]);
  });

  it("takes signs as they are, and white space as any", () => {
    expect(found("<p>100% (sure_thing) a-b</p>", "% (SURE_")).toEqual(["% (sure_"]);
    expect(found("<p>a-b [c] /d</p>", "-b [c] /")).toEqual(["-b [c] /"]);
    expect(found("<p>slow\nferry</p>", "slow ferry")).toEqual(["slow\nferry"]);
    expect(found("<p>text</p>", " ")).toEqual([]);
  });

  it("leaves out what is not the text of the message", () => {
    expect(found(`<h3 class="hidden-text">You</h3><p>Thank you</p><button>you</button>`, "you")).toEqual(["you"]);
  });
});
