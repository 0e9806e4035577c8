import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { type Page, Pages } from "./pages.svelte";

const undoSeconds = 6;

/** The list of sessions, latest activity first. */
class Sessions extends Pages<Session> {
  #deletions = new Map<string, ReturnType<typeof setTimeout>>();

  constructor() {
    super();
    // Undo is over once the page is left.
    addEventListener("pagehide", () => {
      for (const id of [...this.#deletions.keys()]) void this.#delete(id, true);
    });
  }

  protected async fetch(page: number, word: string, signal: AbortSignal): Promise<Page<Session>> {
    const { sessions, has_more } = await operations.listSessions(page, word, signal);
    return { items: sessions.filter(({ id }) => !this.#deletions.has(id)), hasMore: has_more };
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
}

export const sessions = new Sessions();
