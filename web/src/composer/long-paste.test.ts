import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Conversation } from "../chat/conversation.svelte";
import { Upload } from "../files/files.svelte";
import { testUser } from "../shared/testing/user";
import Composer from "./Composer.svelte";
import { maxPaste } from "./question";

const wait = { timeout: 60_000, interval: 1 };
const long = "x".repeat(maxPaste + 1);

/** Renders a composer whose files are never uploaded, and pastes a text into it. */
async function paste(text: string, type = "text/plain") {
  const { user, context } = testUser({ user_id: 7 });
  const conversation = new Conversation(null, user, () => {});
  conversation.draft.open();
  const { files } = conversation;
  const stored = (name: string) => ({ file_id: "1", filename: name, file_size: 1, file_type: type, upload_time: 1 });
  files.stored = [stored("pasted.txt")];
  const onfiles = vi.fn((list: File[]) => void files.uploads.push(...list.map((file) => new Upload(file))));
  render(Composer, { props: { conversation, onsend: vi.fn(), onfiles }, context });
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  await fireEvent.input(field, { target: { value: "Read this: !" } });
  field.setSelectionRange(11, 11);
  const clipboardData = { files: [], types: [type], getData: (wanted: string) => (wanted === type ? text : "") };
  const proceeds = await fireEvent.paste(field, { clipboardData });
  return { user, conversation, onfiles, field, proceeds };
}

afterEach(() => {
  cleanup();
  localStorage.clear();
});

describe("a text that is pasted", () => {
  it("stays text up to a page or two", async () => {
    const { onfiles, proceeds } = await paste(long.slice(1));
    expect([proceeds, onfiles.mock.calls.length]).toEqual([true, 0]);
  });

  it("becomes a file if it is longer, with a name that is free", async () => {
    const { onfiles, proceeds, user } = await paste(long);
    await vi.waitFor(() => expect(onfiles).toHaveBeenCalled(), wait);
    const [file] = onfiles.mock.calls[0]![0];
    expect([proceeds, file!.name, file!.type, file!.size]).toEqual([false, "pasted-2.txt", "text/plain", long.length]);
    expect(user.toasts.list.map(({ text }) => text)).toEqual(["The long text was attached as “pasted-2.txt”."]);
  });

  it("can be inserted after all, instead of the file", async () => {
    const { conversation, onfiles, field, user } = await paste(long);
    await vi.waitFor(() => expect(onfiles).toHaveBeenCalled(), wait);
    user.toasts.list[0]!.action!.run();
    await tick();
    expect(field.value).toBe(`Read this: ${long}!`);
    expect([conversation.draft.text, conversation.files.uploads]).toEqual([field.value, []]);
  });

  it("is inserted in its own chat, also if another one is shown", async () => {
    const { conversation, onfiles, field, user } = await paste(long);
    await vi.waitFor(() => expect(onfiles).toHaveBeenCalled(), wait);
    field.value = "of another chat";
    user.toasts.list[0]!.action!.run();
    await tick();
    expect(conversation.draft.text).toBe(`Read this: !${long}`);
  });
});
