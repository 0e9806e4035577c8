/** How long a tab waits for the deletions of other tabs, in milliseconds. One that was killed never answers. */
const waitLimit = 5000;

/** What tabs tell each other: who asks, and who has deletions that can still be undone. */
type Message = { ask: true } | { flush: true } | { tab: string; waiting: boolean };

/** Knows which other tabs of this browser have deletions that can still be undone. */
export class DeletionTabs {
  readonly #channel: BroadcastChannel;
  readonly #flush: () => Promise<void>;
  readonly #tab = String(Math.random());
  readonly #others = new Set<string>();
  #waiting = false;
  #finished: (() => void) | null = null;

  /** flush carries out the deletions of this tab. */
  constructor(channel: BroadcastChannel, flush: () => Promise<void>) {
    this.#channel = channel;
    this.#flush = flush;
    channel.onmessage = ({ data }: MessageEvent<Message>) => this.#received(data);
    this.#send({ ask: true });
  }

  /** Tells the other tabs whether this one has deletions that can still be undone. */
  announce(waiting: boolean): void {
    if (waiting === this.#waiting) return;
    this.#waiting = waiting;
    this.#send({ tab: this.#tab, waiting });
  }

  /** Makes the other tabs carry out their deletions, and waits for them. */
  async flushOthers(): Promise<void> {
    if (this.#others.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitLimit);
      this.#finished = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#send({ flush: true });
    });
    this.#others.clear();
    this.#finished = null;
  }

  close(): void {
    this.#channel.close();
  }

  #received(message: Message): void {
    if ("ask" in message) {
      if (this.#waiting) this.#send({ tab: this.#tab, waiting: true });
    } else if ("flush" in message) {
      void this.#flush();
    } else if (message.waiting) {
      this.#others.add(message.tab);
    } else {
      this.#others.delete(message.tab);
      if (this.#others.size === 0) this.#finished?.();
    }
  }

  #send(message: Message): void {
    this.#channel.postMessage(message);
  }
}
