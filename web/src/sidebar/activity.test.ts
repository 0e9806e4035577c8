import { describe, expect, it } from "vitest";
import type { Listener } from "../api/reply";
import { Activity, type Finished } from "./activity.svelte";

/** An activity whose replies are finished by the test. */
function setUp() {
  const seen = { session: "" };
  const clock = { now: 0 };
  const following = new Map<string, { done: (content: string) => void; fail: () => void; signal: AbortSignal }>();
  const follow = (id: string, listener: Listener, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const done = (content: string) => {
        const ai_response = { id, content, timestamp: 0 };
        listener({ name: "done", id: "1.1.0", data: { user_message_id: "q", ai_response } }, 1);
        resolve();
      };
      following.set(id, { done, fail: () => reject(new Error("gone")), signal });
    });
  const ended = new AbortController();
  const activity = new Activity(
    ended.signal,
    (id) => id === seen.session,
    () => clock.now,
    follow,
  );
  const finished: Finished[] = [];
  activity.onfinished = (reply) => finished.push(reply);
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  return { activity, ended, seen, clock, following, finished, settle };
}

describe("the activity of chats", () => {
  it("is working until the reply ends, and unread unless the user looked", () => {
    const { activity, seen, clock, finished } = setUp();
    activity.begin("a");
    activity.begin("b");
    expect([activity.isWorking("a"), activity.isWorking("c")]).toEqual([true, false]);
    seen.session = "a";
    clock.now = 5000;
    activity.end("a", "Yes");
    activity.end("b", "No");
    expect([activity.isWorking("a"), activity.isWorking("b")]).toEqual([false, false]);
    expect([...activity.unread]).toEqual(["b"]);
    expect(finished).toEqual([{ sessionId: "b", content: "No", duration: 5000 }]);
    activity.see("b");
    expect([...activity.unread]).toEqual([]);
  });

  it("follows the replies of chats that were left, a few at a time", async () => {
    const { activity, following, settle } = setUp();
    for (const id of ["a", "b", "c", "d"]) activity.leave(id, `reply-${id}`);
    activity.leave("a", "reply-a");
    expect([...following.keys()]).toEqual(["reply-a", "reply-b", "reply-c"]);
    following.get("reply-b")!.done("Done");
    await settle();
    expect(activity.isWorking("b")).toBe(false);
    expect([...activity.unread]).toEqual(["b"]);
    expect([...following.keys()].at(-1)).toBe("reply-d");
  });

  it("does not mark a reply that failed", async () => {
    const { activity, following, finished, settle } = setUp();
    activity.leave("a", "reply-a");
    following.get("reply-a")!.fail();
    await settle();
    expect([activity.isWorking("a"), activity.unread.size, finished]).toEqual([false, 0, []]);
  });

  it("marks chats to which another device has added messages", () => {
    const { activity, seen } = setUp();
    const list = (count: number) =>
      ["own", "seen", "working", "new"].map((id) => ({ id, message_count: count, last_message_time: 0 }));
    activity.compare(list(2));
    expect([...activity.unread]).toEqual([]);
    seen.session = "seen";
    activity.begin("working");
    activity.change("own");
    activity.compare(list(4));
    expect([...activity.unread]).toEqual(["new"]);
    activity.see("new");
    activity.compare(list(4));
    activity.compare(list(2)); // messages were removed
    expect([...activity.unread]).toEqual([]);
    activity.compare(list(6));
    expect([...activity.unread]).toEqual(["own", "new"]);
  });

  it("tells which chats may wait for a reply that was asked for elsewhere", () => {
    const { activity, clock } = setUp();
    const added: string[] = [];
    activity.onadded = (id) => added.push(id);
    clock.now = 3_600_000;
    const listed = (id: string, message_count: number, last_message_time: number) => ({
      id,
      message_count,
      last_message_time,
    });
    activity.compare([listed("recent", 2, 3500), listed("old", 2, 60)]);
    expect(added).toEqual(["recent"]);
    activity.compare([listed("recent", 2, 3500), listed("old", 4, 3600)]);
    expect(added).toEqual(["recent", "old"]);
  });

  it("ends with the login", async () => {
    const { activity, ended, following, finished, settle } = setUp();
    for (const id of ["a", "b", "c", "d"]) activity.leave(id, `reply-${id}`);
    ended.abort();
    expect(following.get("reply-a")!.signal.aborted).toBe(true);
    following.get("reply-a")!.done("Too late");
    await settle();
    expect([following.size, activity.unread.size, finished]).toEqual([3, 0, []]);
  });
});
