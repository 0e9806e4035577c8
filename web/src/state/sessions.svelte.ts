import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { type Page, Pages } from "./pages.svelte";

const undoSeconds = 6;

/** The list of sessions, latest activity first. */
class Sessions extends Pages<Session> {
  protected readonly pageSize = 40;

  #deletions = new Map<string, ReturnType<typeof setTimeout>>();

  constructor() {
    super();
    // Once the page is closed, deletions can't be undone.
    addEventListener("pagehide", () => {
      for (const id of [...this.#deletions.keys()]) void this.#delete(id, true);
    });
  }

  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<Session>> {
    const { sessions, total } = await operations.listSessions(page, size, word, signal);
    return { items: sessions.filter(({ id }) => !this.#deletions.has(id)), total };
  }

  find(id: string | null): Session | undefined {
    return this.list.find((session) => session.id === id);
  }

  async rename(id: string, title: string): Promise<void> {
    await operations.renameSession(id, title);
    const session = this.find(id);
    if (session) Object.assign(session, { title, untitled: false });
  }

  /** Removes a session from the list and deletes it after the time to undo. Returns the undo function. */
  remove(id: string, failed: (error: unknown) => void): () => void {
    this.drop(id);
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
      this.drop(id); // a refresh may have listed it again
    } finally {
      this.#deletions.delete(id);
    }
  }
}

export const sessions = new Sessions();
