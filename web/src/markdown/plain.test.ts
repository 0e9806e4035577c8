import { describe, expect, it } from "vitest";
import { plain } from "./plain";

function parts(text: string): string[] {
  const element = document.createElement("div");
  element.innerHTML = plain(text);
  return [...element.querySelectorAll(".part")].map((part) => part.textContent);
}

describe("plain", () => {
  const short = ["", "a", "a\n", "a\n\nb", "a".repeat(4000), "a\n".repeat(99)];
  it.each(short)("has no parts if the text is short", (text) => {
    expect(parts(text)).toEqual([]);
    expect(plain(text)).toBe(`<p class="plain">${text}</p>`);
  });

  const long = ["a\n".repeat(250), "\n".repeat(500), `b\n${"a".repeat(3999)}\nc`];
  it.each(long)("splits a text between lines", (text) => {
    expect(parts(text).length).toBeGreaterThan(1);
    expect(parts(text).join("\n")).toBe(text);
  });

  it("splits a line that is too long", () => {
    expect(parts("a".repeat(9000)).map((part) => part.length)).toEqual([4000, 4000, 1000]);
    expect(parts(`b\n${"a".repeat(9000)}`).map((part) => part.length)).toEqual([1, 4000, 4000, 1000]);
  });

  it("escapes HTML", () => {
    expect(plain("<b>".repeat(5000))).not.toContain("<b>");
  });
});
