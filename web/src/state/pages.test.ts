import { describe, expect, it } from "vitest";
import { type Page, Pages } from "./pages.svelte";

/** Numbers that a test answers with, request by request. */
class Numbers extends Pages<{ id: string }> {
  asked: { page: number; size: number; word: string; signal: AbortSignal; answer: (page: Page<{ id: string }>) => void; fail: (error: unknown) => void }[] = [];
  protected readonly pageSize = 3;

  protected fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<{ id: string }>> {
    return new Promise((answer, fail) => this.asked.push({ page, size, word, signal, answer, fail }));
  }

  remove(...ids: number[]): void {
    for (const id of ids) this.drop(String(id));
  }
}

/** Numbers on a server, where anybody adds and removes them. */
class Shelf extends Numbers {
  read: number[] = [];

  constructor(public stored: number[]) {
    super();
  }

  protected override fetch(page: number, size: number): Promise<Page<{ id: string }>> {
    this.read.push(page);
    return Promise.resolve({ items: items(...this.stored.slice((page - 1) * size, page * size)), total: this.stored.length });
  }

  override remove(...ids: number[]): void {
    this.stored = this.stored.filter((id) => !ids.includes(id));
    super.remove(...ids);
  }
}

const items = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
const shown = (numbers: Numbers) => numbers.list.map(({ id }) => Number(id));

describe("a list in pages", () => {
  it("goes on behind what it has, and shows nothing twice", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    expect([numbers.loading, numbers.loaded, numbers.empty]).toEqual([true, false, false]);
    numbers.asked[0]!.answer({ items: items(1, 2, 3), total: 4 });
    await first;
    const second = numbers.loadMore();
    await numbers.loadMore(); // one is on its way
    numbers.asked[1]!.answer({ items: items(3, 4), total: 5 });
    await second;
    await numbers.loadMore(); // there is no more
    expect(shown(numbers)).toEqual([1, 2, 3, 4]);
    expect(numbers.asked.map(({ page }) => page)).toEqual([1, 2]);
    expect([numbers.loading, numbers.hasMore]).toEqual([false, false]);
  });

  it("keeps what it has after a failure, and begins anew", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    numbers.asked[0]!.answer({ items: items(1), total: 4 });
    await first;
    const second = numbers.loadMore();
    numbers.asked[1]!.fail("no");
    await second;
    expect([shown(numbers), numbers.error, numbers.loading]).toEqual([[1], "no", false]);
    const again = numbers.refresh();
    expect(numbers.error).toBeNull();
    numbers.asked[2]!.answer({ items: [], total: 0 });
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
    numbers.asked[1]!.answer({ items: items(7), total: 1 });
    await last;
    expect([shown(numbers), numbers.loading]).toEqual([[7], false]);
  });

  it.each<{ name: string; change: (shelf: Shelf) => void; want: number[]; read: number[] }>([
    { name: "one of them is removed", change: (shelf) => shelf.remove(2), want: [1, 3, 4, 5, 6, 7, 8, 9, 10], read: [1, 2, 3, 2, 3] },
    { name: "a page of them is removed", change: (shelf) => shelf.remove(1, 3, 5, 6), want: [2, 4, 7, 8, 9, 10, 11], read: [1, 2, 3, 1, 2, 3] },
    { name: "all of them are removed", change: (shelf) => shelf.remove(1, 2, 3, 4, 5, 6), want: [7, 8, 9, 10, 11], read: [1, 2, 3, 1, 2] },
    { name: "one is removed elsewhere", change: (shelf) => shelf.stored.splice(1, 1), want: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], read: [1, 2, 3, 2, 3] },
    { name: "some that were not read are removed", change: (shelf) => shelf.remove(7, 9, 10, 11), want: [1, 2, 3, 4, 5, 6, 8], read: [1, 2, 3, 1, 2, 3] },
    { name: "one is added in front", change: (shelf) => shelf.stored.unshift(0), want: [1, 2, 3, 4, 5, 6, 7, 8], read: [1, 2, 3] },
    { name: "a page is added in front", change: (shelf) => shelf.stored.unshift(-2, -1, 0), want: [1, 2, 3, 4, 5, 6, 7, 8, 9], read: [1, 2, 3, 4] },
    {
      name: "more are removed than are added in front",
      change: (shelf) => {
        shelf.remove(1, 2, 3, 4, 5);
        shelf.stored.unshift(0);
      },
      want: [0, 6, 7, 8, 9, 10, 11],
      read: [1, 2, 3, 1, 2, 3],
    },
  ])("skips none and keeps the order when $name", async ({ change, want, read }) => {
    const shelf = new Shelf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await shelf.refresh();
    await shelf.loadMore();
    expect(shown(shelf)).toEqual([1, 2, 3, 4, 5, 6]);
    change(shelf);
    expect(shelf.empty).toBe(false); // there is more
    await shelf.loadMore();
    expect([shown(shelf), shelf.read]).toEqual([want, read]);
    while (shelf.hasMore) await shelf.loadMore();
    expect(shown(shelf).slice(want.length)).toEqual(shelf.stored.filter((id) => id > want.at(-1)!));
  });

  it("reads again as much as was read", async () => {
    const shelf = new Shelf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await shelf.refresh();
    await shelf.loadMore();
    shelf.stored = [5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]; // 5 has had an answer
    await shelf.refresh();
    expect([shown(shelf), shelf.hasMore]).toEqual([[5, 1, 2, 3, 4, 6], true]);
    shelf.stored.splice(1, 1);
    await shelf.refresh();
    expect(shown(shelf)).toEqual([5, 2, 3, 4, 6, 7]);
    while (shelf.hasMore) await shelf.loadMore();
    expect(shown(shelf)).toEqual(shelf.stored);
  });

  it("reads again no more than the server gives at once", async () => {
    const shelf = new Shelf(Array.from({ length: 250 }, (_, i) => i));
    await shelf.refresh();
    while (shown(shelf).length < 240) await shelf.loadMore();
    await shelf.refresh();
    expect(shown(shelf)).toEqual(shelf.stored.slice(0, 198));
    while (shelf.hasMore) await shelf.loadMore();
    expect(shown(shelf)).toEqual(shelf.stored);
  });

  it("begins with a page for another word, and after a reset", async () => {
    const numbers = new Numbers();
    const again = async (change: () => void) => {
      change();
      const reading = numbers.refresh();
      const { size, answer } = numbers.asked.at(-1)!;
      answer({ items: items(1, 2, 3), total: 9 });
      await reading;
      const more = numbers.loadMore();
      numbers.asked.at(-1)!.answer({ items: items(4, 5, 6), total: 9 });
      await more;
      return size;
    };
    const sizes = [];
    for (const change of [() => {}, () => {}, () => (numbers.keyword = "ferry"), () => {}, () => numbers.reset(), () => {}]) sizes.push(await again(change));
    expect(sizes).toEqual([3, 6, 3, 6, 3, 6]);
  });

  it("does not bring back what is removed while a page is on its way", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    numbers.asked[0]!.answer({ items: items(1, 2, 3), total: 5 });
    await first;
    const second = numbers.loadMore();
    numbers.remove(3);
    numbers.asked[1]!.answer({ items: items(3, 4, 5), total: 6 });
    await second;
    expect(shown(numbers)).toEqual([1, 2, 4, 5]);
  });
});
