import { describe, expect, it, vi } from "vitest";
import type { Session } from "../api/types";
import { preferences } from "../shared/preferences.svelte";
import { titleOf } from "./actions";
import { sessions, updateSession } from "./sessions.svelte";

describe("titleOf", () => {
  const session = (title: string, untitled?: boolean): Session => ({
    id: "s",
    title,
    untitled,
    message_count: 0,
    last_message_time: 0,
  });

  it("translates the placeholder of an untitled session, and leaves titles alone", () => {
    preferences.language = "zh";
    const list = [undefined, session("New chat", true), session("New chat"), session("Capri")];
    expect(list.map(titleOf)).toEqual(["新对话", "新对话", "New chat", "Capri"]);
    preferences.language = null;
  });

  it("is the new title after a rename, even if it is the default", async () => {
    preferences.language = "zh";
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ error: 0 })));
    sessions.list = [session("New chat", true)];
    await updateSession("s", { title: "New chat" });
    expect(sessions.list.map(titleOf)).toEqual(["New chat"]);
    vi.unstubAllGlobals();
    sessions.reset();
    preferences.language = null;
  });
});
