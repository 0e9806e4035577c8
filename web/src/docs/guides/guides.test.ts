import { describe, expect, it } from "vitest";
import { readGuides, readSamples } from "../../../build/guides";
import en from "./en.md";
import samples from "./samples.md";
import zh from "./zh.md";

const codes = (html: string) => [...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code]) => code).sort();

describe("the guides", () => {
  it("have the same parts, samples and code in both languages", () => {
    expect(zh.map(({ id }) => id)).toEqual(en.map(({ id }) => id));
    en.forEach((guide, index) => {
      const other = zh[index]!;
      expect(
        other.parts.map(({ sample }) => sample),
        guide.id,
      ).toEqual(guide.parts.map(({ sample }) => sample));
      guide.parts.forEach(({ html }, part) => expect(codes(other.parts[part]!.html), guide.id).toEqual(codes(html)));
    });
  });

  it("use every sample, which is in all languages except the quickstart", () => {
    const used = en.flatMap(({ parts }) => parts.flatMap(({ sample }) => sample ?? []));
    expect(used).toEqual(Object.keys(samples));
    for (const [name, languages] of Object.entries(samples)) {
      const expected = name === "quickstart" ? ["bash"] : ["bash", "javascript", "typescript", "python", "go"];
      expect(Object.keys(languages), name).toEqual(expected);
    }
  });

  it("list every error code", () => {
    for (const guides of [en, zh]) {
      const html = guides.find(({ id }) => id === "guide-errors")!.parts.at(-1)!.html;
      const listed = [...html.matchAll(/<td>(\d{4})<\/td>/g)].map(([, code]) => Number(code));
      expect(listed).toEqual([
        1001, 1002, 1003, 1004, 1005, 1006, 2001, 2002, 2003, 2004, 2005, 3001, 3002, 5000, 5001, 5002,
      ]);
    }
  });
});

describe("the compiler of the guides", () => {
  it("splits a guide after each sample", () => {
    const [guide] = readGuides("# Title\n\n## One {#one}\n\nText\n\n```sample\nfirst\n```\n\nMore\n");
    expect(guide).toEqual({
      id: "one",
      title: "One",
      parts: [{ html: "<p>Text</p>\n", sample: "first" }, { html: "<p>More</p>\n" }],
    });
  });

  it("reads samples, and refuses a guide without an id", () => {
    expect(readSamples("## one\n\n```go\na := 1\n```\n")).toEqual({ one: { go: "a := 1" } });
    expect(() => readGuides("## One\n")).toThrow("no {#id}");
  });
});
