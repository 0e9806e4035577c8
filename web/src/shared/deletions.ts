import { DeletionTabs } from "./deletion-tabs";

/** How long a deletion can be undone. */
export const undoSeconds = 6;

export interface Deletion {
  /** Deletes it on the server. If leaving, the page may be closed before the response. */
  run(leaving: boolean): Promise<unknown>;
  /** Called once it can't be undone anymore, before it runs. */
  final(): void;
  failed(error: unknown): void;
}

/** Deletions of one kind that can still be undone, by the id of what is deleted. */
export class Deletions {
  #waiting = new Map<string, { deletion: Deletion; timer: ReturnType<typeof setTimeout> }>();

  /** changed is called when something was added, and when it is deleted or kept. */
  constructor(private readonly changed: () => void = () => {}) {
    // Once the page is closed, nothing can be undone.
    addEventListener("pagehide", () => void this.flush(true));
  }

  /** Whether something is deleted or will be. It must not be shown. */
  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Whether nothing is deleted or will be. */
  get empty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Deletes something after the time to undo it. */
  add(id: string, deletion: Deletion): void {
    this.#waiting.set(id, { deletion, timer: setTimeout(() => void this.#run(id), undoSeconds * 1000) });
    this.changed();
  }

  /** Keeps something that was to be deleted. */
  undo(id: string): void {
    clearTimeout(this.#waiting.get(id)?.timer);
    this.#waiting.delete(id);
    this.changed();
  }

  /** Deletes now what is still waiting. */
  async flush(leaving = false): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((id) => this.#run(id, leaving)));
  }

  /** Forgets what is still waiting. It is not deleted. */
  drop(): void {
    for (const id of [...this.#waiting.keys()]) this.undo(id);
  }

  async #run(id: string, leaving = false): Promise<void> {
    const { deletion, timer } = this.#waiting.get(id)!;
    clearTimeout(timer);
    deletion.final();
    try {
      await deletion.run(leaving);
    } catch (error) {
      deletion.failed(error);
    } finally {
      this.#waiting.delete(id);
      this.changed();
    }
  }
}

const changed = () => tabs.announce(!(deletions.sessions.empty && deletions.files.empty));

export const deletions = { sessions: new Deletions(changed), files: new Deletions(changed) };

const tabs = new DeletionTabs(new BroadcastChannel("parley.deletions"), flush);

/** Deletes now what is still waiting in this tab. */
async function flush(): Promise<void> {
  await Promise.all([deletions.sessions.flush(), deletions.files.flush()]);
}

/** Deletes now what is still waiting in all tabs of this browser. */
export async function flushEverywhere(): Promise<void> {
  await Promise.all([flush(), tabs.flushOthers()]);
}
