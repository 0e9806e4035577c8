import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Elsewhere } from "./elsewhere.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(...pending: string[]) {
  const replies = new Set(pending);
  const read = vi.fn((id: string) => Promise.resolve(replies.has(id)));
  const ended = new AbortController();
  return { replies, read, ended, elsewhere: new Elsewhere(ended.signal, read) };
}

describe("the chats that are working elsewhere", () => {
  it("are looked at until their reply is complete", async () => {
    const { replies, read, elsewhere } = setUp("a");
    await elsewhere.check("a");
    await elsewhere.check("b");
    expect([...elsewhere.working]).toEqual(["a"]);
    await vi.runOnlyPendingTimersAsync();
    expect([...elsewhere.working]).toEqual(["a"]);
    replies.delete("a");
    await vi.runOnlyPendingTimersAsync();
    expect([...elsewhere.working]).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it("are few", async () => {
    const { read, elsewhere } = setUp("a", "b", "c", "d");
    for (const id of ["a", "b", "c", "d"]) await elsewhere.check(id);
    expect([...elsewhere.working]).toEqual(["a", "b", "c"]);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it("are none if they can't be read", async () => {
    const elsewhere = new Elsewhere(new AbortController().signal, () => Promise.reject(new Error("offline")));
    await elsewhere.check("a");
    expect([elsewhere.working.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("end with the login", async () => {
    const { read, ended, elsewhere } = setUp("a", "b");
    await elsewhere.check("a");
    const late = elsewhere.check("b");
    ended.abort();
    await late;
    await elsewhere.check("c");
    expect([[...elsewhere.working], vi.getTimerCount(), read.mock.calls.length]).toEqual([["a"], 0, 2]);
  });
});
