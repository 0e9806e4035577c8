import * as operations from "../api/operations";

/** When a session is read again after its first reply, in milliseconds. The server gives up a title after 15 s. */
const readAfter = [1500, 2000, 2400, 4600, 5500];

/** Looks whether the server has given a session a better title after its first reply. No event tells it. */
export class TitleWatch {
  constructor(
    private readonly announce: (id: string) => void,
    private readonly ended: AbortSignal,
    private readonly read: (id: string, signal: AbortSignal) => Promise<{ title: string }> = operations.getSession,
  ) {}

  /**
   * Reads a session a few times and announces when its title is no longer the one that it had at the end of the reply.
   * If that is not known, the title that is read first may be the one made from the question, or the model's already: it
   * is announced, and so is the next one.
   */
  async watch(sessionId: string, title?: string): Promise<void> {
    const signal = this.ended;
    for (const delay of readAfter) {
      await new Promise((resolve) => setTimeout(resolve, delay));
      if (signal.aborted) return;
      const before = title;
      try {
        ({ title } = await this.read(sessionId, signal));
      } catch {
        return; // it is gone, or the server can't be reached; the next read of the list has the title
      }
      if (signal.aborted) return;
      if (title === before) continue;
      this.announce(sessionId);
      if (before !== undefined) return;
    }
  }
}
