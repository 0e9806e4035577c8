import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { client } from "../api/call";
import { testUser } from "../shared/testing/user";
import { Conversation } from "../chat/conversation.svelte";
import Composer from "../composer/Composer.svelte";

const prompts = [
  { prompt_id: "1", name: "Summarize", text: "Summarize this.", own: true, created_at: 1 },
  { prompt_id: "2", name: "Translate", text: "Into {{language}}:", own: false, shared: true, created_at: 1 },
];

const list = vi.spyOn(client, "prompts");

/** Types a slash into the composer of a new chat. */
async function open() {
  const { user, context } = testUser({ user_id: 7 });
  const conversation = new Conversation(null, user, () => {});
  const onsend = vi.fn();
  render(Composer, { props: { conversation, onsend, onfiles: () => {} }, context });
  const field = screen.getByRole<HTMLTextAreaElement>("textbox");
  field.focus();
  await type(field, "/");
  await screen.findAllByRole("option");
  return { field, onsend };
}

const type = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });
const press = (field: HTMLElement, key: string) => fireEvent.keyDown(field, { key });
const options = () => screen.queryAllByRole("option").map((option) => option.textContent.trim());

beforeEach(() => {
  HTMLElement.prototype.scrollIntoView = () => {}; // jsdom has neither
  HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
    this.open = true;
  };
  list.mockResolvedValue({ prompts });
});
afterEach(() => {
  cleanup();
  localStorage.clear();
});

describe("the menu of prompts", () => {
  it("puts the chosen prompt into the composer, and does not send it", async () => {
    const { field, onsend } = await open();
    expect(screen.getByRole("combobox")).toBe(field);
    expect(options()).toEqual(["Summarize Summarize this.", "Translate Into {{language}}:", "Change prompts…"]);
    await press(field, "ArrowDown");
    await press(field, "ArrowUp");
    expect(field.getAttribute("aria-activedescendant")).toBe(screen.getAllByRole("option")[0]!.id);
    await press(field, "Enter");
    expect(field.value).toBe("Summarize this.");
    expect(options()).toEqual([]);
    expect(onsend).not.toHaveBeenCalled();
    expect(field.getAttribute("role")).toBeNull();
    await press(field, "Enter");
    expect(onsend.mock.calls).toEqual([["Summarize this."]]);
  });

  it("is filtered, and lets a text pass that is not a prompt", async () => {
    const { field, onsend } = await open();
    await type(field, "/trans");
    expect(options()).toEqual(["Translate Into {{language}}:"]);
    await type(field, "/etc/hosts is what?");
    expect(options()).toEqual([]);
    await press(field, "Enter");
    expect(onsend.mock.calls).toEqual([["/etc/hosts is what?"]]);
  });

  it("is closed by Esc, and stays closed", async () => {
    const { field } = await open();
    await press(field, "Escape");
    expect(options()).toEqual([]);
    await type(field, "/s");
    expect(options()).toEqual([]);
    expect(field.value).toBe("/s");
  });

  it("does not open in the middle of a text", async () => {
    const { field } = await open();
    await type(field, "");
    await waitFor(() => expect(options()).toEqual([]));
    await type(field, "and/");
    await type(field, "/nd");
    expect(options()).toEqual([]);
  });

  it("asks for the blanks", async () => {
    const { field } = await open();
    await type(field, "/trans");
    await press(field, "Enter");
    const blank = await screen.findByLabelText("language");
    await type(blank, "Italian");
    await fireEvent.click(screen.getByRole("button", { name: "Use prompt" }));
    await waitFor(() => expect(field.value).toBe("Into Italian:"));
    expect(screen.queryByLabelText("language")).toBeNull();
  });

  it("shows why there are none", async () => {
    list.mockRejectedValue(new Error("offline"));
    const { user, context } = testUser({ user_id: 7 });
    const conversation = new Conversation(null, user, () => {});
    render(Composer, { props: { conversation, onsend: () => {}, onfiles: () => {} }, context });
    await type(screen.getByRole("textbox"), "/");
    expect(await screen.findByRole("alert")).not.toBeNull();
  });
});
