import { describe, expect, it } from "vitest";
import { parseFilter, searchHash } from "./address";

const query = (hash: string) => hash.split("?")[1] ?? "";

describe("the address of the search", () => {
  it("holds the text and the filters", () => {
    const filter = { q: "去卡普里 & #1?", kind: "files", from: "2026-01-31", to: "2026-02-01" } as const;
    expect(parseFilter(query(searchHash(filter)))).toEqual(filter);
    expect(searchHash({ q: "" })).toBe("#/search");
    expect(searchHash({ q: "ferry", kind: "", from: "" })).toBe("#/search?q=ferry");
  });

  it("leaves out what makes no sense", () => {
    expect(parseFilter("q=x&in=moods&from=2026-13-45&to=soon")).toEqual({ q: "x", kind: "", from: "", to: "" });
    expect(parseFilter("")).toEqual({ q: "", kind: "", from: "", to: "" });
  });
});
