import type { SearchOutput, SearchQuery } from "@parley/client";
import { client } from "../api/call";
import type { Hit } from "../api/types";
import type { Changes } from "../shared/changes";
import { startOf } from "../shared/days";
import { type Filter, type Kind, parseFilter, searchHash } from "./address";

/** A chat with hits, newest first. At first it has only some of them. */
export interface Group {
  id: string;
  title: string;
  archived: boolean;
  total: number;
  hits: Hit[];
  /** Where its next hits begin: null if all are there, "" at the beginning. */
  next: string | null;
}

type HitCounts = NonNullable<SearchOutput["counts"]>;

const chatsAtOnce = 20;
const hitsAtOnce = 50;

/** The results of a search, chat by chat, and how far they are loaded. */
export class SearchResults {
  filter: Filter = $state.raw(parseFilter(""));
  groups: Group[] = $state.raw([]);
  total = $state(0);
  /** How many chats have hits. */
  chats = $state(0);
  /** How many hits there are of each kind. Those of other kinds are kept while one kind is shown. */
  counts: HitCounts | null = $state.raw(null);
  loading = $state(false);
  loaded = $state(false);
  error: unknown = $state(null);
  /** The chat whose hits are loaded, and the one for which this has failed. */
  expanding: string | null = $state(null);
  failed: { id: string; error: unknown } | null = $state.raw(null);
  /** How far the page was scrolled when it was left. */
  scrolled = 0;
  /** The address of the hit that was opened last. */
  opened = "";

  #next: string | null = $state(null);
  #stale = false;
  /** Ends what is loaded for the last search. */
  #request = new AbortController();

  constructor(changes: Pick<Changes, "listen">, ended: AbortSignal) {
    const stop = changes.listen(() => (this.#stale = true));
    ended.addEventListener("abort", stop);
  }

  /** The text that is searched for, without white space around it. */
  get word(): string {
    return this.filter.q.trim();
  }

  get filtered(): boolean {
    return this.filter.kind !== "" || this.filter.from !== "" || this.filter.to !== "";
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  get empty(): boolean {
    return this.loaded && this.word !== "" && this.groups.length === 0 && !this.error;
  }

  /** Searches for what an address says, unless these are the results for it. Reports whether it searches. */
  open(query: string): boolean {
    const filter = parseFilter(query);
    if (!this.#stale && this.loaded && searchHash(filter) === searchHash(this.filter)) return false;
    this.scrolled = 0;
    this.opened = "";
    void this.search(filter);
    return true;
  }

  /** Searches anew. The results so far stay until the new ones come. */
  async search(filter: Filter = this.filter): Promise<void> {
    const { q, from, to } = this.filter;
    if (filter.q !== q || filter.from !== from || filter.to !== to) this.counts = null;
    this.filter = filter;
    this.#stale = false;
    this.failed = this.expanding = this.error = null;
    this.#request.abort();
    this.#request = new AbortController();
    this.loading = false;
    if (!this.word) return this.#show({ hits: [], total: 0 });
    await this.#load({}, (out) => this.#show(out));
    if (this.error && this.filter === filter) this.#forget();
  }

  /** Loads more chats. */
  async loadMore(): Promise<void> {
    if (this.#next === null || this.loading) return;
    await this.#load({ after: this.#next }, (out) => {
      const known = new Set(this.groups.map(({ id }) => id));
      this.groups = [...this.groups, ...groupsOf(out).filter(({ id }) => !known.has(id))];
      this.#next = out.next ?? null;
    });
  }

  /** Loads more hits of a chat. */
  async expand(group: Group): Promise<void> {
    if (group.next === null || this.expanding !== null) return;
    const { signal } = this.#request;
    this.expanding = group.id;
    this.failed = null;
    try {
      const after = group.next || undefined;
      const query = { ...this.#query(), session_id: group.id, page_size: hitsAtOnce, after };
      const { hits, next } = await client.search(query, { signal });
      const more = { ...group, hits: after ? [...group.hits, ...hits] : hits, next: next ?? null };
      if (!signal.aborted) this.groups = this.groups.map((other) => (other.id === group.id ? more : other));
    } catch (error) {
      if (!signal.aborted) this.failed = { id: group.id, error };
    } finally {
      if (!signal.aborted) this.expanding = null;
    }
  }

  /** How many hits a kind has, or null if that is not known. */
  countOf(kind: Kind): number | null {
    const { counts } = this;
    if (!counts) return null;
    if (kind) return counts[kind] < 0 ? null : counts[kind];
    const all = [counts.titles, counts.messages, counts.files];
    return all.some((count) => count < 0) ? null : all.reduce((sum, count) => sum + count, 0);
  }

  /** Drops the results of another search. */
  #forget(): void {
    this.groups = [];
    this.#next = this.counts = null;
    this.loaded = false;
  }

  #show(out: SearchOutput): void {
    this.groups = groupsOf(out);
    this.#next = out.next ?? null;
    this.total = out.total;
    this.chats = out.sessions ?? 0;
    this.counts = this.word ? this.#countsOf(out) : null;
    this.loaded = true;
  }

  /** The counts of a response are of one kind only if one kind is searched. */
  #countsOf({ counts = { titles: 0, messages: 0, files: 0 } }: SearchOutput): HitCounts {
    const { kind } = this.filter;
    return kind ? { ...(this.counts ?? { titles: -1, messages: -1, files: -1 }), [kind]: counts[kind] } : counts;
  }

  #query(): SearchQuery {
    const { kind, from, to } = this.filter;
    return {
      q: this.word,
      ...(kind && { in: kind }),
      ...(from && { from: startOf(from, 0) }),
      ...(to && { to: startOf(to, 1) - 1 }),
    };
  }

  async #load(more: Partial<SearchQuery>, show: (out: SearchOutput) => void): Promise<void> {
    const request = this.#request;
    this.loading = true;
    this.error = null;
    try {
      const query: SearchQuery = { ...this.#query(), group: "sessions", page_size: chatsAtOnce, ...more };
      const out = await client.search(query, { signal: request.signal });
      if (!request.signal.aborted) show(out);
    } catch (error) {
      if (!request.signal.aborted) this.error = error;
    } finally {
      if (this.#request === request) this.loading = false;
    }
  }
}

function groupsOf({ groups = [], hits }: SearchOutput): Group[] {
  return groups.flatMap(({ session_id: id, total }) => {
    const own = hits.filter(({ session_id }) => session_id === id);
    if (own.length === 0) return []; // it was deleted meanwhile
    const { session_title: title, archived = false } = own[0]!;
    return [{ id, title, archived, total, hits: own, next: total > own.length ? "" : null }];
  });
}
