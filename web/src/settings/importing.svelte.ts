import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import type { Import } from "../api/types";
import type { Changes } from "../shared/changes";

const keyOf = (userId: number) => `parley.import.${userId}`;

/** How often the server is asked for the progress, in milliseconds. */
const interval = 1000;

/** The user's last import. It is known by its id, which this browser stores. */
export class Importing {
  /** The part of the file that was sent, from 0 to 1, or null if none is being sent. */
  sent: number | null = $state(null);
  /** What the server says of the import, or null if there is none. */
  result: Import | null = $state.raw(null);
  error: unknown = $state(null);

  /** Ends what is under way for a user. */
  #control = new AbortController();
  #followed = false;

  constructor(
    private readonly changes: Changes,
    ended: AbortSignal,
  ) {
    ended.addEventListener("abort", () => this.cancel());
  }

  get running(): boolean {
    return this.sent !== null || this.result?.state === "queued" || this.result?.state === "running";
  }

  /** Uploads an export and follows its import. */
  async start(userId: number, file: File): Promise<void> {
    if (this.running) return;
    const { signal } = this.#control;
    [this.sent, this.error, this.result] = [0, null, null];
    try {
      const { import_id } = await operations.startImport(file, (part) => (this.sent = part), signal);
      localStorage.setItem(keyOf(userId), import_id);
    } catch (problem) {
      if (!signal.aborted) this.error = problem;
      return;
    } finally {
      if (!signal.aborted) this.sent = null;
    }
    await this.follow(userId);
  }

  /** Cancels the upload, and shows nothing. An import that has begun goes on. */
  cancel(): void {
    this.#control.abort();
    this.#control = new AbortController();
    this.#followed = false;
    [this.sent, this.result, this.error] = [null, null, null];
  }

  /** Follows the last import of this browser to its end. */
  async follow(userId: number): Promise<void> {
    const id = localStorage.getItem(keyOf(userId));
    if (!id || this.#followed) return;
    this.#followed = true;
    const { signal } = this.#control;
    try {
      while (!signal.aborted) {
        await this.#read(userId, id, signal);
        if (signal.aborted || !this.running) return;
        await new Promise((resolve) => setTimeout(resolve, interval));
      }
    } finally {
      if (!signal.aborted) this.#followed = false;
    }
  }

  async #read(userId: number, id: string, signal: AbortSignal): Promise<void> {
    const wasOpen = !this.result || this.running;
    try {
      const result = await operations.getImport(id, signal);
      if (signal.aborted) return;
      this.result = result;
      this.error = null;
    } catch (problem) {
      if (signal.aborted) return;
      // The server has forgotten it. Other errors pass.
      if (problem instanceof ApiError && problem.status === 404) this.forget(userId);
      else if (!this.result) this.error = problem;
    }
    // At its end the list of sessions, here and in other tabs, is loaded again.
    if (wasOpen && this.result?.sessions && !this.running) this.changes.announce("");
  }

  /** Forgets the import that is shown. */
  forget(userId: number): void {
    localStorage.removeItem(keyOf(userId));
    this.cancel();
  }
}
