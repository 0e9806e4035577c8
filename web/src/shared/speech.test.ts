import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { languageOf, partsOf, Speaker, voiceFor } from "./speech.svelte";

function rootOf(html: string): Element {
  const root = document.createElement("div");
  root.innerHTML = html;
  return root;
}

describe("what is read of a text", () => {
  it("has no code, formulas and marks", () => {
    const root = rootOf(`
      <div class="markdown-block"><h2>Ferries</h2></div>
      <div class="markdown-block"><p>The <strong>first</strong> one<a class="citation">1</a> leaves
        at <code>nine</code>.<span class="note-reference"><button>2</button></span></p></div>
      <div class="code-frame"><div class="code-bar"><button>Copy</button></div><pre>func main()</pre></div>
      <div class="markdown-block"><ul><li>Naples<p>to Capri</p></li><li>—</li></ul><p>So <span class="math">E = mc²</span> holds.</p></div>`);
    expect(partsOf(root)).toEqual(["Ferries", "The first one leaves at nine.", "Naples", "to Capri", "So holds."]);
  });

  it("is split after sentences, and within long ones", () => {
    const sentence = `${"word ".repeat(25)}end. `;
    const parts = partsOf(rootOf(`<p>${sentence.repeat(3)}</p><p>${"字".repeat(450)}</p>`));
    expect(parts.map((part) => part.length)).toEqual([129, 129, 129, 200, 200, 50]);
  });
});

it.each([
  ["The ferry leaves at nine.", ["de-DE", "en-US"], "de-DE"],
  ["The ferry leaves at nine.", ["zh-CN"], "en"],
  ["渡轮九点开。", ["en", "zh-TW"], "zh-TW"],
  ["用 TypeScript 编写的小程序", ["en"], "zh"],
  ["フェリーは九時に出発します", ["zh-CN"], "ja"],
  ["Пором вирушає", ["uk-UA"], "uk-UA"],
  ["Паром уходит", ["en"], "ru"],
  ["42", ["en-GB"], "en-GB"],
])("the language of “%s” for %j is %s", (text, preferred, language) => {
  expect(languageOf(text, preferred)).toBe(language);
});

it("a voice has the language of the text", () => {
  const voices = [
    { lang: "de-DE", default: true },
    { lang: "en_GB", default: false },
    { lang: "en-US", default: true },
  ];
  const chosen = ["en-GB", "en", "de-AT", "zh-CN"].map((language) => voiceFor(language, voices)?.lang);
  expect(chosen).toEqual(["en_GB", "en-US", "de-DE", undefined]);
});

describe("the speaker", () => {
  const spoken: { text: string; onend?: () => void; onerror?: () => void }[] = [];
  const engine = {
    getVoices: () => [
      { lang: "en-US", default: true, localService: true },
      { lang: "zh-CN", default: false, localService: false },
    ],
    addEventListener: () => {},
    speak: (utterance: { text: string }) => void spoken.push(utterance),
    cancel: vi.fn(),
  };
  beforeEach(() => {
    vi.stubGlobal("SpeechSynthesisUtterance", function (this: { text: string }, text: string) {
      this.text = text;
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    spoken.length = 0;
  });
  const make = () => new Speaker(engine as never);

  it("reads part by part, and ends", () => {
    const speaker = make();
    const owner = {};
    expect(speaker.read(owner, ["One.", "Two."], ["en"])).toBe(true);
    expect([spoken.length, speaker.reading]).toEqual([1, owner]);
    spoken[0]!.onend!();
    spoken[1]!.onend!();
    expect([spoken.map(({ text }) => text), speaker.reading]).toEqual([["One.", "Two."], null]);
  });

  it("reads one text at a time", () => {
    const speaker = make();
    const [first, second] = [{}, {}];
    speaker.read(first, ["One.", "Two."], ["en"]);
    speaker.read(second, ["Three."], ["en"]);
    spoken[0]!.onend!();
    speaker.stop(first);
    expect([spoken.map(({ text }) => text), speaker.reading]).toEqual([["One.", "Three."], second]);
  });

  it("uses no voice that sends the text away", () => {
    expect(make().voices).toHaveLength(1);
    expect(make().read({}, ["渡轮"], ["zh"])).toBe(false);
  });

  it("has no voices in a browser without speech", () => {
    expect(new Speaker(undefined).voices).toEqual([]);
  });
});
