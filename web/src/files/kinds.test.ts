import { expect, it } from "vitest";
import { kindOf } from "./kinds";

it("tells the kind of a file by its ending", () => {
  expect(["Report.PDF", "a.b.xlsx", "预算.csv", "main.go", "notes.md", "a.eml", ".gitignore"].map(kindOf)).toEqual([
    "kind.pdf",
    "kind.sheet",
    "kind.sheet",
    "kind.code",
    "kind.text",
    "kind.mail",
    "kind.text",
  ]);
});
