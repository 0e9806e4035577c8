import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeletionTabs } from "./deletion-tabs";

/** Channels that deliver at once. */
let channels: FakeChannel[];

class FakeChannel {
  onmessage: ((event: MessageEvent) => void) | null = null;
  constructor() {
    channels.push(this);
  }
  postMessage(data: unknown): void {
    for (const other of channels) if (other !== this) other.onmessage?.({ data } as MessageEvent);
  }
}

beforeEach(() => {
  channels = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

function tab(flush: (self: DeletionTabs) => void = () => {}): DeletionTabs {
  const tabs: DeletionTabs = new DeletionTabs(new FakeChannel() as unknown as BroadcastChannel, () => {
    flush(tabs);
    return Promise.resolve();
  });
  return tabs;
}

/** Reports whether a tab is done with the deletions of others. */
async function isDone(flushing: Promise<void>): Promise<boolean> {
  let done = false;
  void flushing.then(() => (done = true));
  await vi.advanceTimersByTimeAsync(0);
  return done;
}

describe("deletions of other tabs", () => {
  it("are waited for before a logout", async () => {
    let flushed = 0;
    const deleting = tab(() => flushed++);
    deleting.announce(true);
    const leaving = tab(); // it was opened later, so it has to ask
    const flushing = leaving.flushOthers();
    expect(flushed).toBe(1);
    expect(await isDone(flushing)).toBe(false);
    deleting.announce(false);
    expect(await isDone(flushing)).toBe(true);
  });

  it("are not waited for if there are none", async () => {
    let flushed = 0;
    const other = tab(() => flushed++);
    const leaving = tab();
    expect(await isDone(leaving.flushOthers())).toBe(true);
    other.announce(true);
    other.announce(false);
    expect(await isDone(leaving.flushOthers())).toBe(true);
    expect(flushed).toBe(0);
  });

  it("of a tab that was killed are given up", async () => {
    const leaving = tab();
    tab().announce(true);
    const flushing = leaving.flushOthers();
    expect(await isDone(flushing)).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await isDone(flushing)).toBe(true);
    expect(await isDone(leaving.flushOthers())).toBe(true);
  });
});
