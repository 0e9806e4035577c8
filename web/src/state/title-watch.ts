import * as operations from "../api/operations";
import { changes } from "./changes";

/** When a session is read again after its first reply, in milliseconds. The server gives up a title after 5 s. */
const readAfter = [1500, 2000, 2400];

/** Looks whether the server has given a session a better title after its first reply. No event tells it. */
export class TitleWatch {
  #ended = new AbortController();

  constructor(
    private readonly read: (id: string, signal: AbortSignal) => Promise<{ title: string }> = operations.getSession,
    private readonly announce: (id: string) => void = (id) => changes.announce(id),
  ) {}

  /** Reads a session a few times and announces when its title is not the given one, or else the one first read. */
  async watch(sessionId: string, title?: string): Promise<void> {
    const { signal } = this.#ended;
    for (const delay of readAfter) {
      await new Promise((resolve) => setTimeout(resolve, delay));
      if (signal.aborted) return;
      try {
        const read = await this.read(sessionId, signal);
        title ??= read.title;
        if (read.title === title) continue;
      } catch {
        return; // it is gone, or the server can't be reached; the next read of the list has the title
      }
      if (!signal.aborted) this.announce(sessionId);
      return;
    }
  }

  /** Ends all watches, because the login has ended. */
  reset(): void {
    this.#ended.abort();
    this.#ended = new AbortController();
  }
}

export const titleWatch = new TitleWatch();
