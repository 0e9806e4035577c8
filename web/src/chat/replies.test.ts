import { describe, expect, it, vi } from "vitest";
import type { Session } from "../api/types";
import type { Finished } from "../sidebar/activity.svelte";
import { Replies } from "./replies.svelte";

type User = ConstructorParameters<typeof Replies>[0];

/** What the user is told about a reply in the session "a", if the list has these sessions and the server this title. */
async function told(listed: Partial<Session>[], title?: string) {
  const shown: string[] = [];
  const read = vi.fn((id: string) =>
    title === undefined ? Promise.reject(new Error("gone")) : Promise.resolve({ id, title } as Session),
  );
  const activity = { onfinished: (() => {}) as (reply: Finished) => void, onadded: () => {} };
  const find = (id: string) => listed.find((session) => session.id === id);
  new Replies(
    {
      activity,
      changes: { listen: () => {} },
      elsewhere: {},
      ended: new AbortController().signal,
      layout: { docked: false },
      sessions: { all: { find, refresh: () => Promise.resolve() } },
      toasts: { show: (text: string) => shown.push(text) },
    } as unknown as User,
    read,
  );
  activity.onfinished({ sessionId: "a", content: "Yes.", duration: 0 });
  await vi.waitFor(() => expect(shown).toHaveLength(1));
  return { text: shown[0], reads: read.mock.calls.length };
}

describe("a reply that finishes unseen", () => {
  it("is announced with the title in the list", async () => {
    const { text, reads } = await told([{ id: "a", title: "Ferries" }]);
    expect(text).toContain("Ferries");
    expect(reads).toBe(0);
  });

  it("is announced with the session's title if the list does not have it yet", async () => {
    for (const listed of [[], [{ id: "a", title: "New chat", untitled: true }]]) {
      const { text, reads } = await told(listed, "Ferries");
      expect(text).toContain("Ferries");
      expect(reads).toBe(1);
    }
  });

  it("is announced without a title if there is none", async () => {
    expect((await told([])).text).toContain("New chat");
  });
});
