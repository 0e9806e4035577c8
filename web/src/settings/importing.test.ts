import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as operations from "../api/operations";
import type { Import } from "../api/types";
import { Changes } from "../shared/changes";
import { Importing } from "./importing.svelte";

const user = 7;
let ended: AbortController;
let changes: Changes;
let importing: Importing;

/** Follows an import whose states are those given, and returns how often the list of sessions was loaded again. */
async function announcedFor(...states: Partial<Import>[]): Promise<number> {
  localStorage.setItem(`parley.import.${user}`, "i");
  vi.spyOn(operations, "getImport").mockImplementation(() => Promise.resolve(states.shift() as Import));
  const announce = vi.spyOn(changes, "announce").mockImplementation(() => undefined);
  const done = importing.follow(user);
  await vi.runAllTimersAsync();
  await done;
  return announce.mock.calls.length;
}

describe("an import", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    ended = new AbortController();
    changes = new Changes(ended.signal);
    importing = new Importing(changes, ended.signal);
  });
  afterEach(() => {
    ended.abort();
    importing.forget(user);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it("loads the sessions at its end, also if all were there before", async () => {
    expect(await announcedFor({ state: "running", sessions: 1 }, { state: "done", sessions: 1 })).toBe(1);
  });

  it("loads nothing if no session came with it", async () => {
    expect(await announcedFor({ state: "queued", sessions: 0 }, { state: "failed", sessions: 0 })).toBe(0);
  });
});
