import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TitleWatch } from "./title-watch";

/** A watch of a session whose titles are those given, one after the other. */
function setUp(...titles: string[]) {
  const reads: string[] = [];
  const announced: string[] = [];
  const ended = new AbortController();
  const watch = new TitleWatch(
    (id) => announced.push(id),
    ended.signal,
    (id) => {
      reads.push(id);
      const title = titles.shift();
      return title === undefined ? Promise.reject(new Error("gone")) : Promise.resolve({ title });
    },
  );
  return { watch, ended, reads, announced };
}

describe("the watch of titles", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("announces a new title once and stops", async () => {
    const { watch, reads, announced } = setUp("which boat", "Ferries", "Ferries");
    const done = watch.watch("a", "which boat");
    await vi.runAllTimersAsync();
    await done;
    expect([reads, announced]).toEqual([["a", "a"], ["a"]]);
  });

  it("announces the first title that it reads if none is known, and the next one", async () => {
    const { watch, reads, announced } = setUp("which boat", "Ferries", "Ferries");
    const done = watch.watch("a");
    await vi.runAllTimersAsync();
    await done;
    expect([reads, announced]).toEqual([
      ["a", "a"],
      ["a", "a"],
    ]);
  });

  it("announces a title that came before its first read", async () => {
    const { watch, announced } = setUp("Ferries", "Ferries", "Ferries");
    const done = watch.watch("a");
    await vi.runAllTimersAsync();
    await done;
    expect(announced).toEqual(["a"]);
  });

  it("ends after a few reads", async () => {
    const { watch, reads, announced } = setUp(...Array<string>(9).fill("which boat"));
    const done = watch.watch("a", "which boat");
    await vi.runAllTimersAsync();
    await done;
    expect([reads.length, announced]).toEqual([5, []]);
  });

  it("ends if the session is gone", async () => {
    const { watch, reads, announced } = setUp();
    const done = watch.watch("a", "which boat");
    await vi.runAllTimersAsync();
    await done;
    expect([reads.length, announced]).toEqual([1, []]);
  });

  it("ends with the login", async () => {
    const { watch, ended, reads, announced } = setUp("Ferries");
    const done = watch.watch("a", "which boat");
    ended.abort();
    await vi.runAllTimersAsync();
    await done;
    expect([reads, announced]).toEqual([[], []]);
  });
});
