/** A page of a list, and whether there are more behind it. */
export interface Page<T> {
  items: T[];
  hasMore: boolean;
}

/** A list that is fetched page by page, and searched as one types. */
export abstract class Pages<T extends { id: string }> {
  list: T[] = $state([]);
  keyword = $state("");
  hasMore = $state(false);
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);

  #page = 0;
  #request: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  protected abstract fetch(page: number, word: string, signal: AbortSignal): Promise<Page<T>>;

  /** What is searched for; blank is everything. */
  get word(): string {
    return this.keyword.trim();
  }

  /** Whether there is known to be nothing. */
  get empty(): boolean {
    return this.loaded && this.list.length === 0;
  }

  /** Searches a moment after the last key. */
  search(keyword: string): void {
    this.keyword = keyword;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.refresh(), 150);
  }

  async refresh(): Promise<void> {
    await this.#load(1);
  }

  async loadMore(): Promise<void> {
    if (this.hasMore && !this.loading) await this.#load(this.#page + 1);
  }

  async #load(page: number): Promise<void> {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.loading = true;
    this.error = null;
    try {
      const found = await this.fetch(page, this.word, request.signal);
      const before = page === 1 ? [] : this.list;
      const known = new Set(before.map(({ id }) => id));
      this.list = [...before, ...found.items.filter(({ id }) => !known.has(id))];
      this.hasMore = found.hasMore;
      this.#page = page;
      this.loaded = true;
    } catch (error) {
      if (!request.signal.aborted) this.error = error;
    } finally {
      if (this.#request === request) this.loading = false;
    }
  }

  /** Forgets everything, since somebody else may log in. */
  reset(): void {
    this.#request?.abort();
    this.list = [];
    this.keyword = "";
    this.loaded = this.hasMore = false;
    this.error = null;
  }
}
