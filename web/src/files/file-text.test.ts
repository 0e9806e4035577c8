import { describe, expect, it } from "vitest";
import type { FileText } from "../api/types";
import { splitAtPassage } from "./file-text.svelte";
import { mentionsOf } from "../chat/passages";
import { fileHash, parse } from "../shared/router.svelte";

const pageOf = (text: string, match?: FileText["match"]) => ({ text, match }) as FileText;
const passageOf = (text: string) => ({ text, filename: "a.txt" });

describe("a passage on a page", () => {
  it.each([
    ["the exact text", pageOf("one two three"), "two", ["one ", "two", " three"]],
    [
      "the place that the server has found",
      pageOf("😀 Two three", { start: 2, length: 3 }),
      "two",
      ["😀 ", "Two", " three"],
    ],
    [
      "a passage that goes on to the next page",
      pageOf("one two", { start: 4, length: 2 }),
      "two three",
      ["one ", "two", ""],
    ],
    ["nothing", pageOf("one"), "two", ["one", "", ""]],
  ])("is %s", (_, page, text, want) => {
    expect(splitAtPassage(page, passageOf(text))).toEqual(want);
  });
});

describe("the address of a file", () => {
  it("has the page, the passage and the chat", () => {
    const passage = { text: "a & b?", filename: "a.txt", offset: 7 };
    expect(parse(fileHash("f", { passage, sessionId: "s" }))).toEqual({
      page: "file",
      fileId: "f",
      number: 1,
      passage,
      sessionId: "s",
    });
    expect(parse(fileHash("f", { number: 3 }))).toMatchObject({ number: 3, passage: null, sessionId: null });
    expect(parse("#/files/f?page=-1&at=x")).toMatchObject({ number: 1, passage: null });
  });
});

it("a mention of a file opens the place that the paragraph names", () => {
  const file = (anchor: string, text: string) => ({ file_id: "f", filename: "a.pdf", anchor, text });
  const [mention] = mentionsOf([file("page 1", "one"), file("page 3", "two")], "s");
  expect(mention!.href).toContain("find=one");
  expect(mention!.places.map(({ anchor }) => anchor)).toEqual(["page 1", "page 3"]);
});
