import * as operations from "../api/operations";
import type { Favorite } from "../api/types";

/** The favorites page: newest first, page by page, searched as one types. */
export class Favorites {
  list: Favorite[] = $state([]);
  keyword = $state("");
  total = $state(0);
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);

  #page = 0;
  #request: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  get hasMore(): boolean {
    return this.list.length < this.total;
  }

  search(keyword: string): void {
    this.keyword = keyword;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.load(), 150);
  }

  async load(): Promise<void> {
    await this.#fetch(1);
  }

  async loadMore(): Promise<void> {
    await this.#fetch(this.#page + 1);
  }

  async remove(favorite: Favorite): Promise<void> {
    await operations.removeFavorite(favorite.message_id);
    this.list = this.list.filter(({ id }) => id !== favorite.id);
    this.total--;
  }

  async #fetch(page: number): Promise<void> {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.loading = true;
    this.error = null;
    try {
      const found = await operations.listFavorites(page, this.keyword.trim(), request.signal);
      const before = page === 1 ? [] : this.list;
      const known = new Set(before.map(({ id }) => id));
      this.list = [...before, ...found.favorites.filter(({ id }) => !known.has(id))];
      this.total = found.total;
      this.#page = page;
      this.loaded = true;
    } catch (error) {
      if (!request.signal.aborted) this.error = error;
    } finally {
      if (this.#request === request) this.loading = false;
    }
  }
}
