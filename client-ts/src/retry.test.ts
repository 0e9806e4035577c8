import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey } from "./random.js";
import { retryDelay, sleep } from "./retry.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("retryDelay", () => {
  it("grows up to a limit", () => {
    expect(retryDelay(0)).toBeLessThan(retryDelay(1));
    expect(retryDelay(50)).toBe(10_000);
  });
});

describe("sleep", () => {
  it("ends when the browser is online again", async () => {
    vi.useFakeTimers();
    const page = new EventTarget();
    vi.stubGlobal("window", page);
    const sleeping = sleep(60_000, undefined, true);
    page.dispatchEvent(new Event("online"));
    await sleeping;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("throws the reason of its signal, also if that is aborted already", async () => {
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);
    controller.abort(new Error("left"));
    await expect(sleeping).rejects.toThrow("left");
    await expect(sleep(60_000, controller.signal)).rejects.toThrow("left");
  });
});

describe("randomKey", () => {
  it("needs no secure context, and differs each time", () => {
    vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
    expect(randomKey()).toMatch(/^[0-9a-f]{32}$/);
    expect(randomKey()).not.toBe(randomKey());
  });
});
