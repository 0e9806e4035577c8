import { ApiError, code } from "../api/call";
import * as operations from "../api/operations";
import type { QuotaStatus } from "../api/types";
import { usedPart } from "../settings/usage";

/** How often the server is asked at most, in milliseconds. */
const interval = 60_000;

/** The part of a quota whose use is worth a word. */
const worthNoting = 0.8;

/** What the composer says about a quota. */
export interface QuotaLevel {
  /** Which part is used, from 0 to 1. */
  used: number;
  isUsedUp: boolean;
  /** When the quota starts anew, Unix seconds. */
  resetsAt: number;
}

/** The quota of the account, as far as it is known. */
export class Quota {
  #status: QuotaStatus | undefined = $state.raw();
  #asked = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ended: AbortSignal,
    private readonly read: () => Promise<QuotaStatus | undefined> = readQuota,
    private readonly now: () => number = () => Date.now(),
  ) {
    ended.addEventListener("abort", () => clearTimeout(this.#timer));
  }

  /** Returns what to say at a time in milliseconds, or null if enough is left. */
  levelAt(now: number): QuotaLevel | null {
    const status = this.#status;
    if (!status || status.resets_at * 1000 <= now) return null;
    const parts = [status.messages, status.tokens].filter((part) => part !== undefined);
    const used = Math.max(0, ...parts.map(usedPart));
    if (used < worthNoting) return null;
    return { used, isUsedUp: parts.some(({ left }) => left === 0), resetsAt: status.resets_at };
  }

  /** Asks the server what is left. If it was asked in the last minute, it is asked when the minute is over. */
  refresh(): void {
    if (this.ended.aborted) return;
    const wait = this.#asked + interval - this.now();
    if (wait <= 0) void this.#ask();
    else this.#timer ??= setTimeout(() => void this.#ask(), wait);
  }

  /** Returns an error of a reply with the reason "quota" if the account has one. Rate limits have the same code. */
  async explain(error: unknown): Promise<unknown> {
    if (!(error instanceof ApiError) || error.code !== code.tooManyAttempts) return error;
    await this.#ask();
    if (!this.#status) return error;
    return new ApiError(error.code, error.message, error.status, { reason: "quota" }, error.retryAfter);
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asked = this.now();
    try {
      const status = await this.read();
      if (!this.ended.aborted) this.#status = status;
    } catch {
      // What is known may still be right, and the server refuses what is too much.
    }
  }
}

async function readQuota(): Promise<QuotaStatus | undefined> {
  const now = Math.floor(Date.now() / 1000);
  return (await operations.usage("model", now, now)).quota;
}
