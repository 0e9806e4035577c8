import { describe, expect, it } from "vitest";
import { type Page, Pages } from "./pages.svelte";

/** Numbers that a test answers with, request by request. */
class Numbers extends Pages<{ id: string }> {
  asked: { page: number; word: string; signal: AbortSignal; answer: (page: Page<{ id: string }>) => void; fail: (error: unknown) => void }[] = [];

  protected fetch(page: number, word: string, signal: AbortSignal): Promise<Page<{ id: string }>> {
    return new Promise((answer, fail) => this.asked.push({ page, word, signal, answer, fail }));
  }
}

const items = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
const shown = (numbers: Numbers) => numbers.list.map(({ id }) => Number(id));

describe("a list in pages", () => {
  it("goes on behind what it has, and shows nothing twice", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    expect([numbers.loading, numbers.loaded, numbers.empty]).toEqual([true, false, false]);
    numbers.asked[0]!.answer({ items: items(1, 2, 3), hasMore: true });
    await first;
    const second = numbers.loadMore();
    await numbers.loadMore(); // one is on its way
    numbers.asked[1]!.answer({ items: items(3, 4), hasMore: false });
    await second;
    await numbers.loadMore(); // there is no more
    expect(shown(numbers)).toEqual([1, 2, 3, 4]);
    expect(numbers.asked.map(({ page }) => page)).toEqual([1, 2]);
    expect([numbers.loading, numbers.hasMore]).toEqual([false, false]);
  });

  it("keeps what it has after a failure, and begins anew", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    numbers.asked[0]!.answer({ items: items(1), hasMore: true });
    await first;
    const second = numbers.loadMore();
    numbers.asked[1]!.fail("no");
    await second;
    expect([shown(numbers), numbers.error, numbers.loading]).toEqual([[1], "no", false]);
    const again = numbers.refresh();
    expect(numbers.error).toBeNull();
    numbers.asked[2]!.answer({ items: [], hasMore: false });
    await again;
    expect([numbers.empty, numbers.hasMore]).toEqual([true, false]);
  });

  it("gives up what it asked for before the last word", async () => {
    const numbers = new Numbers();
    numbers.keyword = " fer";
    const before = numbers.refresh();
    numbers.keyword = "ferry ";
    const last = numbers.refresh();
    expect(numbers.asked.map(({ word, signal }) => [word, signal.aborted])).toEqual([["fer", true], ["ferry", false]]);
    numbers.asked[0]!.fail(numbers.asked[0]!.signal.reason);
    await before;
    expect([numbers.error, numbers.loading]).toEqual([null, true]);
    numbers.asked[1]!.answer({ items: items(7), hasMore: false });
    await last;
    expect([shown(numbers), numbers.loading]).toEqual([[7], false]);
  });
});
