/** A page of a list, and the number of entries on all pages. */
export interface Page<T> {
  items: T[];
  total: number;
}

/** The largest page that the server returns. */
const maxPageSize = 200;

/** A list that is loaded page by page and searched while the user types. */
export abstract class Pages<T extends { id: string }> {
  list: T[] = $state([]);
  keyword = $state("");
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);

  /** How many entries were read, from the first. */
  #read = $state(0);
  /** The keyword of the last read. */
  #readWord = "";
  /** The total of the last read. */
  #total = $state(0);
  /** Entries dropped since the last request, which its response may still contain. */
  #dropped = new Set<string>();
  #request: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  protected abstract readonly pageSize: number;
  protected abstract fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<T>>;

  /** The keyword without white space around it. If empty, everything is listed. */
  get word(): string {
    return this.keyword.trim();
  }

  get hasMore(): boolean {
    return this.#read < this.#total;
  }

  /** Whether the list is loaded and has no entries. */
  get empty(): boolean {
    return this.loaded && !this.hasMore && this.list.length === 0;
  }

  /** Searches shortly after the last keystroke. */
  search(keyword: string): void {
    this.keyword = keyword;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.refresh(), 150);
  }

  /** Reads all loaded pages again, so that the scroll position is kept. */
  async refresh(): Promise<void> {
    await this.#load(async (word, signal) => {
      const loaded = word === this.#readWord ? Math.ceil(this.#read / this.pageSize) : 0;
      const pages = Math.max(1, Math.min(loaded, Math.floor(maxPageSize / this.pageSize)));
      const size = pages * this.pageSize;
      const { items, total } = await this.fetch(1, size, word, signal);
      this.list = this.#kept(items);
      this.#read = size;
      this.#readWord = word;
      this.#total = total;
      this.loaded = true;
    });
  }

  /** Reads pages until one has new entries or no more are left. */
  async loadMore(): Promise<void> {
    if (!this.hasMore || this.loading) return;
    await this.#load(async (word, signal) => {
      const before = this.#read;
      let added = 0;
      while (this.hasMore && (added === 0 || this.#read <= before)) added += await this.#readNext(word, signal);
    });
  }

  /** Reads the next page and returns the number of new entries. */
  async #readNext(word: string, signal: AbortSignal): Promise<number> {
    const page = Math.floor(this.#read / this.pageSize) + 1;
    const { items, total } = await this.fetch(page, this.pageSize, word, signal);
    // If entries were removed, the unread ones have moved up by at most as many,
    // perhaps to a page that was already read.
    const read = Math.max(0, this.#read - Math.max(0, this.#total - total));
    const missed = read < (page - 1) * this.pageSize;
    const before = this.list.length;
    if (!missed) this.list = merge(this.list, this.#kept(items));
    this.#read = missed ? read : page * this.pageSize;
    this.#total = total;
    return this.list.length - before;
  }

  async #load(read: (word: string, signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.#dropped.clear();
    this.loading = true;
    this.error = null;
    try {
      await read(this.word, request.signal);
    } catch (error) {
      if (!request.signal.aborted) this.error = error;
    } finally {
      if (this.#request === request) this.loading = false;
    }
  }

  /** Removes an entry from the list. */
  drop(id: string): void {
    this.#dropped.add(id);
    this.list = this.#kept(this.list);
  }

  #kept(items: T[]): T[] {
    return items.filter(({ id }) => !this.#dropped.has(id));
  }

  /** Clears the list. */
  reset(): void {
    clearTimeout(this.#typing);
    this.#request?.abort();
    this.list = [];
    this.keyword = this.#readWord = "";
    this.#read = this.#total = 0;
    this.loaded = false;
    this.error = null;
  }
}

/** Merges a page into the list. A new entry follows the same entry as on the page. */
function merge<T extends { id: string }>(list: T[], page: T[]): T[] {
  const merged = [...list];
  const indexOf = ({ id }: T) => merged.findIndex((item) => item.id === id);
  let next = page.map(indexOf).find((index) => index >= 0) ?? merged.length;
  for (const item of page) {
    const index = indexOf(item);
    if (index >= 0) next = index + 1;
    else merged.splice(next++, 0, item);
  }
  return merged;
}
