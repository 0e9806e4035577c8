import { SvelteSet } from "svelte/reactivity";
import * as operations from "../api/operations";

/** How often a chat that is working elsewhere is looked at, in milliseconds. */
const checkInterval = 2000;

/** How many chats are looked at. The list has the latest first. */
const maxChecked = 3;

/** The chats that work on a reply which another tab or device has asked for. The list does not tell it. */
export class Elsewhere {
  readonly working = new SvelteSet<string>();
  readonly #isPending: typeof isPending;
  #checking = new Set<string>();
  readonly #ended: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ended: AbortSignal, readPending: typeof isPending = isPending) {
    this.#ended = ended;
    this.#isPending = readPending;
    ended.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** Looks whether a chat that has changed elsewhere is working, and again until it is not. */
  async check(sessionId: string): Promise<void> {
    if (this.#ended.aborted || this.#checking.has(sessionId)) return;
    if (!this.working.has(sessionId) && this.#checking.size + this.working.size >= maxChecked) return;
    this.#checking.add(sessionId);
    // If it is gone, or the server can't be reached, nothing is known about it.
    const pending = await this.#isPending(sessionId, this.#ended).catch(() => false);
    if (this.#ended.aborted) return;
    this.#checking.delete(sessionId);
    if (pending) this.working.add(sessionId);
    else this.working.delete(sessionId);
    if (pending) this.#timer ??= setTimeout(() => this.#checkAgain(), checkInterval);
  }

  #checkAgain(): void {
    this.#timer = undefined;
    for (const id of this.working) void this.check(id);
  }
}

/** Reads the last message of a session, and reports whether it is a pending reply. */
async function isPending(sessionId: string, signal: AbortSignal): Promise<boolean> {
  const { message_count: last } = await operations.getSession(sessionId, signal);
  if (last === 0) return false;
  const { messages } = await operations.listMessages(sessionId, last, 1, signal);
  return messages[0]?.status === "pending";
}
