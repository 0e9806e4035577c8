/** A page of a list, and how many entries all its pages have. */
export interface Page<T> {
  items: T[];
  total: number;
}

/** The most entries that the server gives at once. */
const most = 200;

/** A list that is fetched page by page, and searched as one types. */
export abstract class Pages<T extends { id: string }> {
  list: T[] = $state([]);
  keyword = $state("");
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);

  /** How many entries, from the first, were read. */
  #read = $state(0);
  /** What was searched for then. */
  #listed = "";
  /** How many there were then. */
  #total = $state(0);
  /** What was dropped since the request was made; its answer may still have it. */
  #dropped = new Set<string>();
  #request: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  protected abstract readonly pageSize: number;
  protected abstract fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<T>>;

  /** What is searched for; blank is everything. */
  get word(): string {
    return this.keyword.trim();
  }

  get hasMore(): boolean {
    return this.#read < this.#total;
  }

  /** Whether there is known to be nothing. */
  get empty(): boolean {
    return this.loaded && !this.hasMore && this.list.length === 0;
  }

  /** Searches a moment after the last key. */
  search(keyword: string): void {
    this.keyword = keyword;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.refresh(), 150);
  }

  /** Reads again what was read, so that whoever has scrolled down stays where they are. */
  async refresh(): Promise<void> {
    await this.#load(async (word, signal) => {
      const pages = word === this.#listed ? Math.min(Math.ceil(this.#read / this.pageSize), Math.floor(most / this.pageSize)) : 0;
      const size = Math.max(1, pages) * this.pageSize;
      const { items, total } = await this.fetch(1, size, word, signal);
      this.list = this.#kept(items);
      this.#read = size;
      this.#listed = word;
      this.#total = total;
      this.loaded = true;
    });
  }

  /** Reads on, until something new comes from behind what was read, or nothing is left. */
  async loadMore(): Promise<void> {
    if (!this.hasMore || this.loading) return;
    await this.#load(async (word, signal) => {
      const before = this.#read;
      let came = 0;
      while (this.hasMore && (came === 0 || this.#read <= before)) came += await this.#readOn(word, signal);
    });
  }

  /** Reads a page, and says how much on it is new. */
  async #readOn(word: string, signal: AbortSignal): Promise<number> {
    const page = Math.floor(this.#read / this.pageSize) + 1;
    const { items, total } = await this.fetch(page, this.pageSize, word, signal);
    // Where there are fewer entries than before, those that were not read have moved up
    // by at most so many, and the first of them may now be on a page that was read.
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

  /** Takes an entry off the list. */
  protected drop(id: string): void {
    this.#dropped.add(id);
    this.list = this.#kept(this.list);
  }

  #kept(items: T[]): T[] {
    return items.filter(({ id }) => !this.#dropped.has(id));
  }

  /** Forgets everything, since somebody else may log in. */
  reset(): void {
    this.#request?.abort();
    this.list = [];
    this.keyword = this.#listed = "";
    this.#read = this.#total = 0;
    this.loaded = false;
    this.error = null;
  }
}

/** The list with what is new on a page of it, each entry behind the one that it follows there. */
function merge<T extends { id: string }>(list: T[], page: T[]): T[] {
  const merged = [...list];
  const place = ({ id }: T) => merged.findIndex((item) => item.id === id);
  let next = page.map(place).find((index) => index >= 0) ?? merged.length;
  for (const item of page) {
    const index = place(item);
    if (index >= 0) next = index + 1;
    else merged.splice(next++, 0, item);
  }
  return merged;
}
