import { beforeEach, describe, expect, it } from "vitest";
import { DiagramBlocks } from "./diagram-blocks";
import { Diagrams } from "./diagrams";
import type { WorkerLike } from "./jobs";

const drawing = (svg = "<svg/>") => ({ svg, width: 100.4, height: 50 });
const labels = { diagram: "Diagram", source: "Source", failed: "It can't be drawn." };

/** A frame whose drawings come from the test. */
class FakeFrame implements WorkerLike {
  onmessage: Worker["onmessage"] = null;
  onerror: Worker["onerror"] = null;
  requests: unknown[] = [];
  postMessage(request: unknown): void {
    this.requests.push(request);
  }
  terminate(): void {}
  say(data: unknown): void {
    this.onmessage!.call(this as unknown as Worker, { data } as MessageEvent);
  }
}

let frames: FakeFrame[];
let diagrams: Diagrams;
let answers: unknown[];

beforeEach(() => {
  frames = [];
  answers = [];
  diagrams = new Diagrams(() => {
    frames.push(new FakeFrame());
    return frames.at(-1)!;
  });
});

const draw = (source: string) => diagrams.draw({}, { source, dark: false }, (answer) => answers.push(answer));
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("Diagrams", () => {
  it("draws a source once", async () => {
    draw("a");
    frames[0]!.say("ready");
    frames[0]!.say(drawing());
    draw("a");
    await settled();
    expect(answers).toEqual([drawing(), drawing()]);
    expect(frames[0]!.requests).toEqual([{ source: "a", dark: false }]);
  });

  it("does not load the frame for a source that is too long", async () => {
    draw("a".repeat(10_001));
    await settled();
    expect([answers, frames]).toEqual([[null], []]);
  });

  it.each([
    "<svg/>",
    { svg: 1, width: 1, height: 1 },
    drawing("a".repeat(1_000_001)),
    { ...drawing(), width: NaN },
    { ...drawing(), height: 1e9 },
  ])("shows nothing that is no drawing: %#", (answer) => {
    draw("a");
    frames[0]!.say("ready");
    frames[0]!.say(answer);
    expect(answers).toEqual([null]);
  });
});

describe("DiagramBlocks", () => {
  /** Shows a block of code whose drawing comes from the test. */
  function setUp() {
    document.body.innerHTML =
      '<div class="code-frame"><div class="code-bar"><span></span><button></button></div><pre>a --> b</pre></div>';
    const code = document.querySelector("pre")!;
    const requests: { dark: boolean; answer: (result: ReturnType<typeof drawing> | null) => void }[] = [];
    const blocks = new DiagramBlocks(
      { draw: (_, { dark }, answer) => requests.push({ dark, answer }), cancel: () => {} },
      () => blocks.show(),
    );
    blocks.add(code, labels);
    return { code, blocks, requests };
  }
  const image = () => document.querySelector("img");

  it("shows the drawing as an image over its source", () => {
    const { code, requests } = setUp();
    requests[0]!.answer(drawing("<svg>#&</svg>"));
    expect(image()!.getAttribute("src")).toBe("data:image/svg+xml;charset=utf-8,%3Csvg%3E%23%26%3C%2Fsvg%3E");
    expect([image()!.alt, image()!.width, image()!.height, code.hidden]).toEqual(["Diagram", 101, 50, true]);
    expect(image()!.style.minWidth).toBe("60px");
    const button = document.querySelector("button")!;
    button.click();
    expect([code.hidden, image()!.parentElement!.hidden, button.textContent]).toEqual([false, true, "Diagram"]);
    button.click();
    expect([code.hidden, image()!.parentElement!.hidden, button.textContent]).toEqual([true, false, "Source"]);
  });

  it("shows a note under the source of a diagram that can't be drawn", () => {
    const { code, requests } = setUp();
    requests[0]!.answer(null);
    expect([image(), code.hidden]).toEqual([null, false]);
    expect(document.querySelector(".drawing-note")!.textContent).toBe(labels.failed);
  });

  it("draws again when the page becomes dark, and drops what was drawn for a light one", () => {
    const { blocks, requests } = setUp();
    blocks.setDark(true);
    expect(requests.map(({ dark }) => dark)).toEqual([false, true]);
    requests[1]!.answer(drawing("<dark/>"));
    requests[0]!.answer(drawing("<light/>"));
    expect(image()!.src).toContain("dark");
    expect(document.querySelectorAll("img, .code-bar button").length).toBe(3);
  });
});
