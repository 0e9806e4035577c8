import { beforeEach, describe, expect, it } from "vitest";
import { forgetDraft } from "../composer/draft.svelte";
import { Edits } from "./edits.svelte";

const editsOf = (userId: number, sessionId = "s") => {
  const edits = new Edits(
    () => sessionId,
    () => userId,
  );
  edits.open();
  return edits;
};

beforeEach(() => localStorage.clear());

describe("an edit", () => {
  it("is stored for its user, session and message, even if it is empty", () => {
    editsOf(1).write("m", "Which ferry?");
    editsOf(1).write("n", "");
    expect(editsOf(1).find("m")?.text).toBe("Which ferry?");
    expect(editsOf(1).find("n")?.text).toBe("");
    expect(editsOf(2).find("m")).toBeUndefined();
    expect(editsOf(1, "other").find("m")).toBeUndefined();
  });

  it("is shown again with the error if it fails, until the user writes", () => {
    const edits = editsOf(1);
    edits.fail("m", "Which ferry?", new Error("no"));
    expect(edits.find("m")).toEqual({ text: "Which ferry?", error: new Error("no") });
    edits.write("m", "Which boat?");
    expect(edits.find("m")?.error).toBeNull();
  });

  it("is removed when it ends, and with its session", () => {
    const edits = editsOf(1);
    edits.begin("m", "Which ferry?");
    edits.begin("n", "And back?");
    edits.end("m");
    expect(editsOf(1).find("m")).toBeUndefined();
    forgetDraft(1, "s");
    expect(localStorage).toHaveLength(0);
  });

  it("follows another tab", () => {
    const edits = editsOf(1);
    edits.follow(new StorageEvent("storage", { key: "parley.draft.1.s.m", newValue: '"Which ferry?"' }));
    expect(edits.find("m")?.text).toBe("Which ferry?");
    edits.follow(new StorageEvent("storage", { key: "parley.draft.1.s.m", newValue: null }));
    expect(edits.find("m")).toBeUndefined();
    edits.follow(new StorageEvent("storage", { key: "parley.draft.2.s.m", newValue: '"Not mine"' }));
    expect(edits.find("m")).toBeUndefined();
  });
});
