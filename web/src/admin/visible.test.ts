import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runWhileVisible } from "./visible";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Hides or shows the page. */
function show(visible: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(!visible);
  document.dispatchEvent(new Event("visibilitychange"));
}

describe("what runs while the page is visible", () => {
  it("runs at once and after each pause, until it is ended", async () => {
    const run = vi.fn(() => Promise.resolve());
    const end = runWhileVisible(run, 1000);
    expect(run).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2500);
    expect(run).toHaveBeenCalledTimes(3);
    end();
    await vi.advanceTimersByTimeAsync(5000);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it("rests while the page is hidden, and runs when it is shown again", async () => {
    const run = vi.fn(() => Promise.resolve());
    const end = runWhileVisible(run, 1000);
    await vi.advanceTimersByTimeAsync(0);
    show(false);
    await vi.advanceTimersByTimeAsync(5000);
    expect(run).toHaveBeenCalledTimes(1);
    show(true);
    expect(run).toHaveBeenCalledTimes(2);
    end();
  });

  it("waits for a run that takes long", async () => {
    let finish = () => {};
    const run = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const end = runWhileVisible(run, 1000);
    await vi.advanceTimersByTimeAsync(5000);
    show(true);
    expect(run).toHaveBeenCalledTimes(1);
    finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(run).toHaveBeenCalledTimes(2);
    end();
  });
});
