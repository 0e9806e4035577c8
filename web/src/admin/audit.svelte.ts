import * as api from "./api";
import { startOf } from "../shared/days";
import type { AuditEntry, AuditQuery } from "./types";

/** The audit log, newest first, with what it is filtered by. */
export class AuditLog {
  event = $state("");
  /** The number of an account, or 0 for all. */
  userId = $state(0);
  /** The address of clients, or empty. */
  address = $state("");
  /** Days such as 2026-01-31 in the user's time zone, or empty. */
  from = $state("");
  to = $state("");

  entries: AuditEntry[] = $state.raw([]);
  more = $state(false);
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);
  #request: AbortController | null = null;

  /** Whether the log is loaded and has no entries. */
  get empty(): boolean {
    return this.loaded && !this.loading && this.entries.length === 0;
  }

  get filtered(): boolean {
    return this.event !== "" || this.userId > 0 || this.address !== "" || this.from !== "" || this.to !== "";
  }

  /** Reads the newest entries. */
  refresh(): Promise<void> {
    return this.#load((query) => query, []);
  }

  /** Reads the entries before the last one. */
  loadMore(): Promise<void> {
    const before = this.entries.at(-1)?.id;
    return this.#load((query) => ({ ...query, before }), this.entries);
  }

  clear(): void {
    this.event = this.address = this.from = this.to = "";
    this.userId = 0;
  }

  async #load(change: (query: AuditQuery) => AuditQuery, kept: AuditEntry[]): Promise<void> {
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    this.loading = true;
    this.error = null;
    try {
      const { entries, more } = await api.audit(change(this.#query()), request.signal);
      this.entries = [...kept, ...entries];
      this.more = more;
      this.loaded = true;
    } catch (error) {
      if (!request.signal.aborted) this.error = error;
    } finally {
      if (this.#request === request) this.loading = false;
    }
  }

  #query(): AuditQuery {
    return {
      event: this.event || undefined,
      user_id: this.userId || undefined,
      address: this.address || undefined,
      from: this.from ? startOf(this.from, 0) : undefined,
      to: this.to ? startOf(this.to, 1) - 1 : undefined,
    };
  }
}
