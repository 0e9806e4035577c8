import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { readFileSync } from "node:fs";
import { tick } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Conversation } from "../chat/conversation.svelte";
import { Entry, type EntryState } from "../chat/entry.svelte";
import { formsOf, type Text } from "../i18n/plural";
import { testUser } from "../shared/testing/user";
import Composer from "./Composer.svelte";
import { en } from "./queue.en";
import { zh } from "./queue.zh";

const key = "parley.draft.7.new";

/** Renders the composer of a chat whose reply is pending. */
function compose() {
  const { user, context } = testUser({ user_id: 7 });
  const conversation = new Conversation(null, user, () => {});
  conversation.draft.open();
  const { transcript } = conversation;
  const begin = () => (transcript.live = Entry.local("assistant", "", "pending"));
  const end = (state: EntryState) => {
    transcript.push(Object.assign(transcript.live!, { state }));
    transcript.live = null;
    return tick();
  };
  begin();
  const onsend = vi.fn();
  const stop = vi.spyOn(conversation.turns, "stop").mockResolvedValue(undefined);
  const { unmount } = render(Composer, { props: { conversation, onsend, onfiles: vi.fn() }, context });
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  const ask = async (value: string) => {
    await fireEvent.input(field, { target: { value } });
    await fireEvent.keyDown(field, { key: "Enter" });
    await vi.waitFor(() => screen.getAllByText(value, { selector: ".question" }).length, wait);
  };
  return { user, conversation, onsend, stop, field, ask, begin, end, unmount };
}

const wait = { timeout: 60_000, interval: 1 };
const toasts = ({ user }: ReturnType<typeof compose>) => user.toasts.list.map(({ text }) => text);

afterEach(() => {
  cleanup();
  localStorage.clear();
});

describe("questions that are asked while a reply is pending", () => {
  it("are sent after it, one by one", async () => {
    const { ask, begin, end, onsend, field, conversation } = compose();
    await ask("And when?");
    await ask("And back?");
    expect(screen.getAllByText("Will be sent when the reply is finished")).toHaveLength(1);
    expect([field.value, onsend.mock.calls]).toEqual(["", []]);
    await end("stored");
    await tick();
    expect(onsend.mock.calls).toEqual([["And when?"]]);
    begin();
    await tick();
    await end("stored");
    expect(onsend.mock.calls).toEqual([["And when?"], ["And back?"]]);
    expect(conversation.queued).toEqual([]);
  });

  it.each(["stopped", "interrupted"] as const)("are a draft again if it was %s", async (state) => {
    const page = compose();
    await page.ask("And when?");
    await fireEvent.input(page.field, { target: { value: "And" } });
    await page.end(state);
    expect(page.onsend).not.toHaveBeenCalled();
    expect(page.field.value).toBe("And when?\n\nAnd");
    expect(toasts(page)).toEqual([en.kept.one]);
  });

  it("are a draft again if it failed and left nothing", async () => {
    const page = compose();
    await page.ask("And when?");
    await page.ask("And back?");
    page.conversation.turns.failed = true;
    await page.end("stored");
    expect(page.field.value).toBe("And when?\n\nAnd back?");
    expect(toasts(page)).toEqual([en.kept.other]);
  });

  it("are taken back one by one", async () => {
    const { ask, conversation, field } = compose();
    await ask("And when?");
    await ask("And when?");
    await fireEvent.click(screen.getAllByRole("button", { name: en.back })[1]!);
    expect([conversation.queued, field.value]).toEqual([["And when?"], "And when?"]);
  });

  it("are sent at once if the reply is stopped for them", async () => {
    const { ask, end, onsend, stop } = compose();
    await ask("And when?");
    await fireEvent.click(screen.getByRole("button", { name: en.now }));
    expect(stop).toHaveBeenCalled();
    expect(onsend).not.toHaveBeenCalled();
    await end("stopped");
    expect(onsend.mock.calls).toEqual([["And when?"]]);
  });

  it("wait for their files", async () => {
    const { ask, end, onsend, conversation } = compose();
    await ask("And when?");
    vi.spyOn(conversation.files, "busy", "get").mockReturnValue(true);
    await end("stored");
    expect(onsend).not.toHaveBeenCalled();
  });

  it("outlive a reload as a draft", async () => {
    const { ask } = compose();
    await ask("And when?");
    expect(localStorage.getItem(key)).toContain("And when?");
    cleanup();
    expect(compose().field.value).toBe("And when?");
  });

  it("are not sent after the user has left, who is told", async () => {
    const page = compose();
    await page.ask("And when?");
    page.unmount();
    await page.end("stored");
    expect(page.onsend).not.toHaveBeenCalled();
    expect(toasts(page)).toEqual([en.left]);
    expect(localStorage.getItem(key)).toContain("And when?");
  });
});

it("the texts of waiting questions are all there in both languages", () => {
  const source = readFileSync("src/composer/QueuedQuestions.svelte", "utf8");
  expect(Object.keys(zh)).toEqual(Object.keys(en));
  for (const [name, text] of Object.entries<Text>(zh)) {
    expect(formsOf(text).join()).not.toMatch(/\{/);
    expect(source.includes(`"${name}"`), name).toBe(true);
  }
});
