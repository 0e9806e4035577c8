import { describe, expect, it } from "vitest";
import { type Page, Pages } from "./pages.svelte";

/** A list whose requests are answered by the test. */
class Numbers extends Pages<{ id: string }> {
  requests: {
    page: number;
    size: number;
    word: string;
    signal: AbortSignal;
    respond: (page: Page<{ id: string }>) => void;
    fail: (error: unknown) => void;
  }[] = [];
  protected readonly pageSize = 3;

  protected fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<{ id: string }>> {
    return new Promise((respond, fail) => this.requests.push({ page, size, word, signal, respond, fail }));
  }

  remove(...ids: number[]): void {
    for (const id of ids) this.drop(String(id));
  }
}

/** A list whose requests are answered from stored numbers, which anybody may change. */
class StoredNumbers extends Numbers {
  read: number[] = [];

  constructor(public stored: number[]) {
    super();
  }

  protected override fetch(page: number, size: number): Promise<Page<{ id: string }>> {
    this.read.push(page);
    const found = this.stored.slice((page - 1) * size, page * size);
    return Promise.resolve({ items: items(...found), total: this.stored.length });
  }

  override remove(...ids: number[]): void {
    this.stored = this.stored.filter((id) => !ids.includes(id));
    super.remove(...ids);
  }
}

const items = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
const shown = (numbers: Numbers) => numbers.list.map(({ id }) => Number(id));

describe("a list in pages", () => {
  it("loads more without duplicates", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    expect([numbers.loading, numbers.loaded, numbers.empty]).toEqual([true, false, false]);
    numbers.requests[0]!.respond({ items: items(1, 2, 3), total: 4 });
    await first;
    const second = numbers.loadMore();
    await numbers.loadMore(); // a request is pending
    numbers.requests[1]!.respond({ items: items(3, 4), total: 5 });
    await second;
    await numbers.loadMore(); // there is no more
    expect(shown(numbers)).toEqual([1, 2, 3, 4]);
    expect(numbers.requests.map(({ page }) => page)).toEqual([1, 2]);
    expect([numbers.loading, numbers.hasMore]).toEqual([false, false]);
  });

  it("keeps its entries after a failure, and reloads", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    numbers.requests[0]!.respond({ items: items(1), total: 4 });
    await first;
    const second = numbers.loadMore();
    numbers.requests[1]!.fail("no");
    await second;
    expect([shown(numbers), numbers.error, numbers.loading]).toEqual([[1], "no", false]);
    const again = numbers.refresh();
    expect(numbers.error).toBeNull();
    numbers.requests[2]!.respond({ items: [], total: 0 });
    await again;
    expect([numbers.empty, numbers.hasMore]).toEqual([true, false]);
  });

  it("aborts the request for an earlier keyword", async () => {
    const numbers = new Numbers();
    numbers.keyword = " fer";
    const before = numbers.refresh();
    numbers.keyword = "ferry ";
    const last = numbers.refresh();
    expect(numbers.requests.map(({ word, signal }) => [word, signal.aborted])).toEqual([
      ["fer", true],
      ["ferry", false],
    ]);
    numbers.requests[0]!.fail(numbers.requests[0]!.signal.reason);
    await before;
    expect([numbers.error, numbers.loading]).toEqual([null, true]);
    numbers.requests[1]!.respond({ items: items(7), total: 1 });
    await last;
    expect([shown(numbers), numbers.loading]).toEqual([[7], false]);
  });

  it.each<{ name: string; change: (list: StoredNumbers) => void; want: number[]; read: number[] }>([
    {
      name: "one of them is removed",
      change: (list) => list.remove(2),
      want: [1, 3, 4, 5, 6, 7, 8, 9, 10],
      read: [1, 2, 3, 2, 3],
    },
    {
      name: "a page of them is removed",
      change: (list) => list.remove(1, 3, 5, 6),
      want: [2, 4, 7, 8, 9, 10, 11],
      read: [1, 2, 3, 1, 2, 3],
    },
    {
      name: "all of them are removed",
      change: (list) => list.remove(1, 2, 3, 4, 5, 6),
      want: [7, 8, 9, 10, 11],
      read: [1, 2, 3, 1, 2],
    },
    {
      name: "one is removed elsewhere",
      change: (list) => list.stored.splice(1, 1),
      want: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      read: [1, 2, 3, 2, 3],
    },
    {
      name: "some that were not read are removed",
      change: (list) => list.remove(7, 9, 10, 11),
      want: [1, 2, 3, 4, 5, 6, 8],
      read: [1, 2, 3, 1, 2, 3],
    },
    {
      name: "one is added in front",
      change: (list) => list.stored.unshift(0),
      want: [1, 2, 3, 4, 5, 6, 7, 8],
      read: [1, 2, 3],
    },
    {
      name: "a page is added in front",
      change: (list) => list.stored.unshift(-2, -1, 0),
      want: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      read: [1, 2, 3, 4],
    },
    {
      name: "more are removed than are added in front",
      change: (list) => {
        list.remove(1, 2, 3, 4, 5);
        list.stored.unshift(0);
      },
      want: [0, 6, 7, 8, 9, 10, 11],
      read: [1, 2, 3, 1, 2, 3],
    },
  ])("skips none and keeps the order when $name", async ({ change, want, read }) => {
    const list = new StoredNumbers([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await list.refresh();
    await list.loadMore();
    expect(shown(list)).toEqual([1, 2, 3, 4, 5, 6]);
    change(list);
    expect(list.empty).toBe(false); // there is more
    await list.loadMore();
    expect([shown(list), list.read]).toEqual([want, read]);
    while (list.hasMore) await list.loadMore();
    expect(shown(list).slice(want.length)).toEqual(list.stored.filter((id) => id > want.at(-1)!));
  });

  it("refreshes as much as was read", async () => {
    const list = new StoredNumbers([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await list.refresh();
    await list.loadMore();
    list.stored = [5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]; // 5 has a new message
    await list.refresh();
    expect([shown(list), list.hasMore]).toEqual([[5, 1, 2, 3, 4, 6], true]);
    list.stored.splice(1, 1);
    await list.refresh();
    expect(shown(list)).toEqual([5, 2, 3, 4, 6, 7]);
    while (list.hasMore) await list.loadMore();
    expect(shown(list)).toEqual(list.stored);
  });

  it("refreshes no more than the server returns at once", async () => {
    const list = new StoredNumbers(Array.from({ length: 250 }, (_, i) => i));
    await list.refresh();
    while (shown(list).length < 240) await list.loadMore();
    await list.refresh();
    expect(shown(list)).toEqual(list.stored.slice(0, 198));
    while (list.hasMore) await list.loadMore();
    expect(shown(list)).toEqual(list.stored);
  });

  it("starts with one page for another keyword, and after a reset", async () => {
    const numbers = new Numbers();
    const again = async (change: () => void) => {
      change();
      const reading = numbers.refresh();
      const { size, respond } = numbers.requests.at(-1)!;
      respond({ items: items(1, 2, 3), total: 9 });
      await reading;
      const more = numbers.loadMore();
      numbers.requests.at(-1)!.respond({ items: items(4, 5, 6), total: 9 });
      await more;
      return size;
    };
    const sizes = [];
    const search = () => (numbers.keyword = "ferry");
    const reset = () => numbers.reset();
    for (const change of [() => {}, () => {}, search, () => {}, reset, () => {}]) sizes.push(await again(change));
    expect(sizes).toEqual([3, 6, 3, 6, 3, 6]);
  });

  it("does not bring back an entry removed during a request", async () => {
    const numbers = new Numbers();
    const first = numbers.refresh();
    numbers.requests[0]!.respond({ items: items(1, 2, 3), total: 5 });
    await first;
    const second = numbers.loadMore();
    numbers.remove(3);
    numbers.requests[1]!.respond({ items: items(3, 4, 5), total: 6 });
    await second;
    expect(shown(numbers)).toEqual([1, 2, 4, 5]);
  });
});
