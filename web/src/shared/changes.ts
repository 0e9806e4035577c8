/** Called with the id of a session that has changed, and whether another tab has changed it. */
export type Listener = (sessionId: string, elsewhere: boolean) => void;

/** Tells the parts of this tab, and the other tabs of this browser, which sessions have changed. */
export class Changes {
  readonly #listeners = new Set<Listener>();
  readonly #tabs = new BroadcastChannel("parley.changes");
  readonly #ended: AbortSignal;

  constructor(ended: AbortSignal) {
    this.#ended = ended;
    this.#tabs.addEventListener("message", (event: MessageEvent<string[]>) => this.#tell(event.data, true));
    ended.addEventListener("abort", () => this.#tabs.close());
  }

  /** Announces a change of sessions: of their title, messages or files, or that they were created or deleted. */
  announce(...sessionIds: string[]): void {
    if (this.#ended.aborted || sessionIds.length === 0) return;
    this.#tell(sessionIds, false);
    this.#tabs.postMessage(sessionIds);
  }

  /** Calls a listener at each change. Returns a function that ends this. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(sessionIds: string[], elsewhere: boolean): void {
    for (const sessionId of sessionIds) {
      for (const listener of this.#listeners) listener(sessionId, elsewhere);
    }
  }
}
