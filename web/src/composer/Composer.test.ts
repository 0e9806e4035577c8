import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import { preferences } from "../shared/preferences.svelte";
import { testUser } from "../shared/testing/user";
import { Conversation } from "../chat/conversation.svelte";
import { Entry } from "../chat/entry.svelte";
import { Upload } from "../files/files.svelte";
import Composer from "./Composer.svelte";

const userId = 7;
const wait = { timeout: 60_000, interval: 1 };
const key = `parley.draft.${userId}.new`;

/** Renders a composer of a new chat. */
function compose() {
  const { user, context } = testUser({ user_id: userId });
  const conversation = new Conversation(null, user, () => {});
  conversation.draft.open();
  const onsend = vi.fn();
  const onfiles = vi.fn();
  render(Composer, { props: { conversation, onsend, onfiles }, context });
  return { conversation, onsend, onfiles, field: screen.getByRole<HTMLTextAreaElement>("textbox") };
}

const write = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });

afterEach(() => {
  preferences.language = null;
  cleanup();
  localStorage.clear();
});

describe("the keys of the composer", () => {
  it.each([
    { name: "Enter sends", event: {}, sends: true },
    { name: "Shift+Enter is a new line", event: { shiftKey: true }, sends: false },
    { name: "Enter confirms what an input method suggests", event: { isComposing: true }, sends: false },
    { name: "Enter confirms it in Safari, after the composition", event: { keyCode: 229 }, sends: false },
  ])("$name", async ({ event, sends }) => {
    const { field, onsend } = compose();
    await write(field, "渡轮");
    const proceeds = await fireEvent.keyDown(field, { key: "Enter", ...event });
    expect(onsend.mock.calls).toEqual(sends ? [["渡轮"]] : []);
    expect(proceeds).toBe(!sends);
    expect(field.value).toBe(sends ? "" : "渡轮");
  });

  it("send nothing that is blank or too long", async () => {
    const { field, onsend } = compose();
    for (const text of [" \n", "x".repeat(100_001)]) {
      await write(field, text);
      await fireEvent.keyDown(field, { key: "Enter" });
    }
    expect(onsend).not.toHaveBeenCalled();
    expect(screen.getByRole("alert").textContent).toContain("1 character too long");
  });
});

describe("the draft", () => {
  it("is stored with every keystroke, and shown again", async () => {
    const { field } = compose();
    await write(field, "Which ferry?");
    cleanup();
    expect(compose().field.value).toBe("Which ferry?");
  });

  it("is stored until the server has the question", async () => {
    const { conversation, field } = compose();
    await write(field, "Which ferry?");
    await fireEvent.keyDown(field, { key: "Enter" });
    expect(localStorage.getItem(key)).toContain("Which ferry?");
    conversation.draft.release("Which ferry?");
    expect(localStorage.getItem(key)).toBeNull();
  });

  it("follows another tab", async () => {
    const { conversation, field } = compose();
    await write(field, "Which");
    const newValue = JSON.stringify({ text: "Which ferry?", unsent: [] });
    conversation.draft.follow(new StorageEvent("storage", { key, oldValue: localStorage.getItem(key), newValue }));
    await tick();
    expect(field.value).toBe("Which ferry?");
  });
});

describe("the files of the composer", () => {
  const file = (file_id: string, filename: string) => ({
    file_id,
    filename,
    file_size: 1,
    file_type: "text/plain",
    upload_time: 1,
  });

  it("stay until the question is sent", async () => {
    const { conversation } = compose();
    conversation.files.stored = [file("01", "old.txt"), file("03", "new.txt")];
    const sent = { id: "02", role: "user" as const, content: "?", timestamp: 1, is_favorited: false };
    conversation.transcript.stretch = { first: 1, items: [new Entry(sent)] };
    await tick();
    expect(screen.queryByText("old.txt")).toBeNull();
    expect(screen.getByText("new.txt")).toBeTruthy();
    expect(conversation.attachments.of.get(conversation.transcript.entries[0]!)).toEqual([file("01", "old.txt")]);
    conversation.transcript.total = 3; // a later question is not loaded
    await tick();
    expect(screen.queryByText("new.txt")).toBeNull();
  });

  it.each([
    { language: "en" as const, count: 1, question: "What is in this file?" },
    { language: "en" as const, count: 2, question: "What is in these files?" },
    { language: "zh" as const, count: 1, question: "这个文件里有什么？" },
    { language: "zh" as const, count: 2, question: "这些文件里有什么？" },
  ])("are sent without words, with a question: $question", async ({ language, count, question }) => {
    preferences.language = language;
    const { conversation, field, onsend } = compose();
    await fireEvent.keyDown(field, { key: "Enter" });
    expect(onsend).not.toHaveBeenCalled();
    conversation.files.stored = ["a.txt", "b.txt"].slice(0, count).map((name, index) => file(`0${index}`, name));
    await tick();
    await fireEvent.keyDown(field, { key: "Enter" });
    expect(onsend.mock.calls).toEqual([[question]]);
    expect(localStorage.getItem(key)).toContain(question);
  });

  it("that could not be uploaded go with the question, or if they are dismissed", async () => {
    const { conversation, field, onsend } = compose();
    const upload = (name: string, error: unknown) => Object.assign(new Upload(new File(["x"], name)), { error });
    const refused = new ApiError(2004, "no", 415);
    conversation.files.uploads = [upload("a.xyz", refused), upload("b.xyz", refused)];
    await vi.waitFor(() => screen.getByText("a.xyz"), wait);
    await fireEvent.click(screen.getByRole("button", { name: "Dismiss a.xyz" }));
    expect(conversation.files.uploads.map(({ file }) => file.name)).toEqual(["b.xyz"]);
    await write(field, "Which ferry?");
    await fireEvent.keyDown(field, { key: "Enter" });
    expect(onsend).toHaveBeenCalled();
    expect(screen.queryByText("b.xyz")).toBeNull();
  });

  it("say what of them could not be read", async () => {
    const { conversation } = compose();
    const notes = ["slide 2 could not be read", "slide 7 could not be read"];
    conversation.files.stored = [file("01", "all.txt"), { ...file("02", "some.pptx"), notes }];
    await tick();
    const marks = screen.getAllByRole("img", { name: /How it was read: / });
    expect(marks.map((mark) => mark.title)).toEqual([
      "How it was read: slide 2 could not be read; slide 7 could not be read",
    ]);
    expect(marks[0]!.closest("li")!.textContent).toContain("some.pptx");
  });

  it.each([
    { what: "a screenshot is attached", types: ["Files"], attached: true },
    { what: "a picture of a page is attached", types: ["text/html", "Files"], attached: true },
    { what: "cells are text, with their picture", types: ["text/plain", "text/html", "Files"], attached: false },
  ])("are pasted: $what", async ({ types, attached }) => {
    const { field, onfiles } = compose();
    const screenshot = new File(["x"], "image.png", { type: "image/png" });
    const proceeds = await fireEvent.paste(field, {
      clipboardData: { files: [screenshot], types, getData: () => "cells" },
    });
    expect(onfiles.mock.calls).toEqual(attached ? [[[screenshot]]] : []);
    expect(proceeds).toBe(!attached);
  });

  it.each([
    { what: "a kind that is not supported", error: new ApiError(2004, "no", 415), hasOthers: true, retry: false },
    { what: "too large, and nothing to remove", error: new ApiError(2005, "no", 413), hasOthers: false, retry: false },
    { what: "too large for the room that is left", error: new ApiError(2005, "no", 413), hasOthers: true, retry: true },
    { what: "a server that is busy", error: new ApiError(5000, "no", 503), hasOthers: false, retry: true },
  ])("can be tried again unless that is of no use: $what", async ({ error, hasOthers, retry }) => {
    const { conversation } = compose();
    const upload = new Upload(new File(["x"], "a.txt"));
    Object.assign(upload, { error, hasOthers });
    conversation.files.uploads = [upload];
    await vi.waitFor(() => screen.getByText("a.txt"), wait);
    expect(screen.queryByText("Try again") !== null).toBe(retry);
  });
});
