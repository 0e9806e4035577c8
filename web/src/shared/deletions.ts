import { t } from "../i18n/index.svelte";
import { DeletionTabs } from "./deletion-tabs";
import type { Toasts } from "./toasts.svelte";

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
  constructor(
    ended: AbortSignal,
    private readonly changed: () => void = () => {},
  ) {
    // Once the page is closed, nothing can be undone.
    addEventListener("pagehide", () => void this.flush(true), { signal: ended });
    // The next login must not delete what is left.
    ended.addEventListener("abort", () => [...this.#waiting.keys()].forEach((id) => this.undo(id)));
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

/** What is done for something that is deleted after the time to undo it. */
export interface Undoable {
  /** Says that it is deleted. */
  text: string;
  run: (leaving: boolean) => Promise<void>;
  /** Shows it again, if the deletion was undone or has failed. */
  restore: () => void;
  undone?: () => void;
}

/** What a user has deleted in this tab and can still undo. */
export class UndoableDeletions {
  readonly sessions: Deletions;
  readonly files: Deletions;
  readonly #tabs: DeletionTabs;

  constructor(
    private readonly toasts: Toasts,
    ended: AbortSignal,
  ) {
    this.#tabs = new DeletionTabs(new BroadcastChannel("parley.deletions"), () => this.#flush());
    const changed = () => this.#tabs.announce(!(this.sessions.empty && this.files.empty));
    this.sessions = new Deletions(ended, changed);
    this.files = new Deletions(ended, changed);
    ended.addEventListener("abort", () => this.#tabs.close()); // after the other tabs know that nothing is left
  }

  /** Deletes something of a kind after the time to undo it, which a toast offers. */
  add(kind: Deletions, id: string, { text, run, restore, undone }: Undoable): void {
    const undo = () => {
      kind.undo(id);
      restore();
      undone?.();
    };
    const toast = this.toasts.show(text, { action: { label: t("common.undo"), run: undo }, seconds: undoSeconds });
    kind.add(id, {
      run,
      final: () => this.toasts.close(toast),
      failed: (error) => {
        this.toasts.showError(error);
        kind.undo(id);
        restore();
      },
    });
  }

  /** Deletes now what is still waiting in all tabs of this browser. */
  async flushEverywhere(): Promise<void> {
    await Promise.all([this.#flush(), this.#tabs.flushOthers()]);
  }

  async #flush(): Promise<void> {
    await Promise.all([this.sessions.flush(), this.files.flush()]);
  }
}
