import { describe, expect, it, vi } from "vitest";
import type { Session } from "../api/types";
import { preferences } from "./preferences.svelte";
import { titleOf } from "./session-title";
import { testUser } from "./testing/user";

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
    const { sessions } = testUser().user;
    sessions.all.list = [session("New chat", true)];
    await sessions.update("s", { title: "New chat" });
    expect(sessions.all.list.map(titleOf)).toEqual(["New chat"]);
    vi.unstubAllGlobals();
    preferences.language = null;
  });
});
