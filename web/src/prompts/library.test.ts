import { describe, expect, it } from "vitest";
import type { Prompt } from "./api";
import { blanksOf, fillIn, findPrompts } from "./library";

const prompt = (name: string, text: string): Prompt => ({ prompt_id: name, name, text, own: true, created_at: 0 });

describe("the prompts of a filter", () => {
  const all = [
    prompt("Letter", "Translate a letter"),
    prompt("Translate", "Into {{language}}"),
    prompt("概括", "要点"),
  ];

  it.each([
    { word: "", names: ["Letter", "Translate", "概括"] },
    { word: " TRANSLATE ", names: ["Translate", "Letter"] },
    { word: "要", names: ["概括"] },
    { word: "etc/passwd", names: [] },
  ])("$word", ({ word, names }) => {
    expect(findPrompts(all, word).map(({ name }) => name)).toEqual(names);
  });

  it("are bounded", () => {
    expect(
      findPrompts(
        Array.from({ length: 400 }, (_, at) => prompt(`${at}`, "")),
        "",
      ),
    ).toHaveLength(50);
  });
});

describe("the blanks of a prompt", () => {
  it.each([
    { text: "no blanks: {x} {{}} {{ }} {{a\nb}} {{{}}}", names: [] },
    { text: "{{to}}, {{from}} and {{ to }}", names: ["to", "from"] },
    { text: "{{语言}}", names: ["语言"] },
  ])("$text", ({ text, names }) => {
    expect(blanksOf(text)).toEqual(names);
  });

  it("are filled in as they are, wherever they stand", () => {
    const values = new Map([
      ["to", "$& {{from}}"],
      ["from", ""],
    ]);
    expect(fillIn("{{to}} {{ to }}-{{from}}-{{other}}", values)).toBe("$& {{from}} $& {{from}}--{{other}}");
  });
});
