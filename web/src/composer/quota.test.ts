import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/call";
import type { QuotaStatus } from "../api/types";
import { Quota } from "./quota.svelte";

const midnight = 86_400;
const part = (used: number, limit: number) => ({ used, limit, left: Math.max(0, limit - used) });

/** Returns a quota, and the function that answers for the server. */
function create(status?: Partial<QuotaStatus>) {
  const read = vi.fn(() => Promise.resolve(status && { resets_at: midnight, ...status }));
  const ended = new AbortController();
  return { read, ended, quota: new Quota(ended.signal, read) };
}

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

async function levelOf(status?: Partial<QuotaStatus>, now = 0) {
  const { quota } = create(status);
  quota.refresh();
  await vi.advanceTimersByTimeAsync(0);
  return quota.levelAt(now);
}

describe("the level", () => {
  it("is that of the part which is used most, from 80 %", async () => {
    expect(await levelOf()).toBeNull();
    expect(await levelOf({ messages: part(79, 100), tokens: part(10, 1000) })).toBeNull();
    expect(await levelOf({ messages: part(1, 100), tokens: part(800, 1000) })).toEqual({
      used: 0.8,
      isUsedUp: false,
      resetsAt: midnight,
    });
    expect(await levelOf({ tokens: part(1200, 1000) })).toMatchObject({ used: 1, isUsedUp: true });
  });

  it("ends with the day", async () => {
    expect(await levelOf({ messages: part(5, 5) }, midnight * 1000 - 1)).toMatchObject({ isUsedUp: true });
    expect(await levelOf({ messages: part(5, 5) }, midnight * 1000)).toBeNull();
  });
});

describe("the server", () => {
  it("is asked once a minute at most, and once more after that", async () => {
    const { quota, read } = create();
    for (let n = 0; n < 5; n++) quota.refresh();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(read).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("is not asked for a login that has ended, and its late response is dropped", async () => {
    const { quota, ended, read } = create({ messages: part(5, 5) });
    quota.refresh();
    quota.refresh();
    ended.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(read).toHaveBeenCalledTimes(1);
    expect(quota.levelAt(0)).toBeNull();
  });

  it("may fail", async () => {
    const { quota, read } = create({ messages: part(5, 5) });
    quota.refresh();
    await vi.advanceTimersByTimeAsync(60_000);
    read.mockRejectedValueOnce(new Error("offline"));
    quota.refresh();
    await vi.advanceTimersByTimeAsync(0);
    expect(read).toHaveBeenCalledTimes(2);
    expect(quota.levelAt(0)).toMatchObject({ isUsedUp: true });
  });
});

describe("a refused message", () => {
  const refused = new ApiError(1006, "your quota for today is used up", 429, undefined, 7200);

  it("has the quota as its reason if the account has one", async () => {
    const { quota } = create({ messages: part(5, 5) });
    const error = await quota.explain(refused);
    expect(error).toMatchObject({ code: 1006, message: refused.message, reason: "quota", retryAfter: 7200 });
    expect(quota.levelAt(0)).toMatchObject({ isUsedUp: true });
  });

  it("keeps its error otherwise", async () => {
    expect(await create().quota.explain(refused)).toBe(refused);
    const { quota, read } = create({ messages: part(5, 5) });
    const busy = new ApiError(5000, "busy", 503);
    expect(await quota.explain(busy)).toBe(busy);
    expect(read).not.toHaveBeenCalled();
  });
});
