import * as operations from "../api/operations";
import type { Session } from "../api/types";

const undoSeconds = 6;

/** The list of sessions, latest activity first, fetched page by page. */
class Sessions {
  list: Session[] = $state([]);
  keyword = $state("");
  hasMore = $state(false);
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);

  #page = 0;
  #request: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #deletions = new Map<string, ReturnType<typeof setTimeout>>();

  constructor() {
    // Undo is over once the page is left.
    addEventListener("pagehide", () => {
      for (const id of [...this.#deletions.keys()]) void this.#delete(id, true);
    });
  }

  /** Searches a moment after the last key. */
  search(keyword: string): void {
    this.keyword = keyword;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.refresh(), 150);
  }

  async refresh(): Promise<void> {
    await this.#fetch(1);
  }

  async loadMore(): Promise<void> {
    if (this.hasMore && !this.loading) await this.#fetch(this.#page + 1);
  }

  async #fetch(page: number): Promise<void> {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.loading = true;
    this.error = null;
    try {
      const found = await operations.listSessions(page, this.keyword.trim(), request.signal);
      const before = page === 1 ? [] : this.list;
      const known = new Set(before.map((session) => session.id));
      this.list = [...before, ...found.sessions.filter(({ id }) => !known.has(id) && !this.#deletions.has(id))];
      this.hasMore = found.has_more;
      this.#page = page;
      this.loaded = true;
    } catch (error) {
      if (!request.signal.aborted) this.error = error;
    } finally {
      if (this.#request === request) this.loading = false;
    }
  }

  find(id: string | null): Session | undefined {
    return this.list.find((session) => session.id === id);
  }

  async rename(id: string, title: string): Promise<void> {
    await operations.renameSession(id, title);
    const session = this.find(id);
    if (session) session.title = title;
  }

  /** Takes a session off the list; the server is told a little later, unless it is undone. */
  remove(id: string, failed: (error: unknown) => void): () => void {
    const before = this.list;
    this.list = before.filter((session) => session.id !== id);
    this.#deletions.set(
      id,
      setTimeout(() => void this.#delete(id).catch(failed), undoSeconds * 1000),
    );
    return () => {
      clearTimeout(this.#deletions.get(id));
      this.#deletions.delete(id);
      void this.refresh();
    };
  }

  async #delete(id: string, leaving = false): Promise<void> {
    clearTimeout(this.#deletions.get(id));
    try {
      await operations.deleteSession(id, leaving);
    } finally {
      this.#deletions.delete(id);
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

export const sessions = new Sessions();
