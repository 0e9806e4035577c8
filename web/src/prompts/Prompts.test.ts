import { cleanup, fireEvent, render, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, client, code } from "../api/call";
import { testUser } from "../shared/testing/user";
import Prompts from "./Prompts.svelte";

const own = { prompt_id: "1", name: "Summarize", text: "Summarize this.", own: true, created_at: 1 };
const shared = {
  prompt_id: "2",
  name: "Translate",
  text: "Into {{language}}:",
  own: false,
  shared: true,
  created_at: 1,
};
const gone = new ApiError(code.noSuchSession, "gone", 404);

const list = vi.spyOn(client, "prompts");
const create = vi.spyOn(client, "createPrompt");
const update = vi.spyOn(client, "updatePrompt");
const remove = vi.spyOn(client, "deletePrompt");

async function show(admin = false) {
  render(Prompts, { context: testUser({ user_id: 7, admin }).context });
  await screen.findByRole("button", { name: "New prompt…" });
}
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const write = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });

beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
    this.open = true; // jsdom has none
  };
  list.mockResolvedValue({ prompts: [own, shared] });
  create.mockResolvedValue({ prompt_id: "3" });
  update.mockResolvedValue();
  remove.mockResolvedValue();
});
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

describe("the prompts in the settings", () => {
  it("say that there are none", async () => {
    list.mockResolvedValue({ prompts: [] });
    await show();
    expect(await screen.findByText("You have no prompts yet.")).not.toBeNull();
  });

  it("are added", async () => {
    await show();
    await press("New prompt…");
    expect(screen.queryByRole("switch")).toBeNull();
    expect(screen.getByText(/^Write blanks as \{\{language\}\}\./)).not.toBeNull();
    await write("Name", "Letter");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    await write("Prompt", "Reply to {{name}}");
    await press("Save");
    expect(create.mock.calls).toEqual([[{ name: "Letter", text: "Reply to {{name}}" }]]);
    await vi.waitFor(() => expect(screen.queryByLabelText("Name")).toBeNull());
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("are offered to everyone by administrators", async () => {
    await show(true);
    await screen.findByText("From an administrator");
    await press("Change the prompt “Summarize”");
    await fireEvent.click(screen.getByRole("switch", { name: "For everyone" }));
    await press("Save");
    expect(update.mock.calls).toEqual([["1", { name: "Summarize", text: "Summarize this.", shared: true }]]);
  });

  it("are changed and deleted if they are one's own", async () => {
    await show();
    await screen.findByText("Translate");
    expect(screen.queryByRole("button", { name: /“Translate”/ })).toBeNull();
    await press("Delete the prompt “Summarize”");
    await fireEvent.click(screen.getAllByRole("button", { name: "Delete" }).at(-1)!);
    expect(remove.mock.calls).toEqual([["1"]]);
  });

  it("are added again if they were deleted elsewhere", async () => {
    update.mockRejectedValue(gone);
    await show();
    await screen.findByText("Summarize");
    await press("Change the prompt “Summarize”");
    await press("Save");
    await vi.waitFor(() => expect(create).toHaveBeenCalledOnce());
  });

  it("say why they can't be saved", async () => {
    create.mockRejectedValue(new ApiError(code.invalidParameter, "you have 200 prompts", 400));
    await show();
    await press("New prompt…");
    await write("Name", "Letter");
    await write("Prompt", "Reply");
    await press("Save");
    expect((await screen.findByRole("alert")).textContent).toContain("you have 200 prompts");
  });
});
