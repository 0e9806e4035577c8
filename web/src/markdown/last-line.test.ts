import { describe, expect, it } from "vitest";
import { lastLine } from "./last-line";

describe("lastLine", () => {
  it("returns the last line without marks", () => {
    expect(lastLine("First.\n\n2. Check **the** `sea`\n\n")).toBe("Check the sea");
    expect(lastLine("## 先看*时刻表*")).toBe("先看时刻表");
    expect(lastLine("")).toBe("");
  });

  it("shows the end of a long line", () => {
    const line = lastLine(`${"a".repeat(500)} the end`);
    expect(line.endsWith("the end")).toBe(true);
    expect(line.length).toBeLessThan(210);
  });
});
