import { ApiError, code } from "../api/call";
import * as operations from "../api/operations";
import type { Message, Session } from "../api/types";
import { Entry } from "./entry.svelte";
import { append, firstOf, pageOf, pageSize, prepend, replaceEnd, type Stretch } from "./history";

/** Reports whether the session does not exist or was deleted. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === code.noSuchSession;

/** The part of a session that is on the page: a stretch of its messages. */
export class Transcript {
  sessionId: string | null = $state(null);
  /** The session, as soon as it is known. */
  session: Session | undefined = $state();
  stretch: Stretch<Entry> = $state.raw({ first: 1, items: [] });
  total = $state(0);
  loading: "" | "opening" | "older" | "newer" = $state("");
  /** The pending reply. */
  live: Entry | null = $state(null);

  protected readonly closed = new AbortController();

  get entries(): Entry[] {
    return this.stretch.items;
  }
  get hasOlder(): boolean {
    return this.stretch.first > 1;
  }
  get hasNewer(): boolean {
    return this.stretch.first + this.stretch.items.length - 1 < this.total;
  }
  /** Reports whether the message with a number is on the page. */
  shows(number: number): boolean {
    const { first, items } = this.stretch;
    return number >= first && number < first + items.length;
  }
  /** The messages on the page that the server has. The others follow them. */
  get stored(): Entry[] {
    return this.entries.filter(({ message }) => message.id !== "");
  }

  protected async loadSession(): Promise<void> {
    this.session = await operations.getSession(this.sessionId!, this.closed.signal);
  }

  /** Loads the page of the message with a number, or the last one: also if there is no such message any more. */
  protected async openAt(number: number, latest: boolean): Promise<void> {
    let page = pageOf(number);
    let loaded = await this.#read(page);
    if ((latest || loaded.length === 0) && page !== pageOf(this.total)) {
      page = pageOf(this.total);
      loaded = await this.#read(page);
    }
    this.stretch = { first: firstOf(page), items: loaded };
    // A short page does not fill the screen.
    if (loaded.length < pageSize / 2 && page > 1) await this.readOlder();
  }

  protected async readOlder(): Promise<void> {
    const page = pageOf(this.stretch.first - 1);
    const items = await this.#read(page);
    this.stretch = prepend(this.stretch, page, items, !this.live);
  }

  protected async readNewer(): Promise<void> {
    const page = pageOf(this.stretch.first + this.stretch.items.length);
    const items = await this.#read(page);
    this.stretch = append(this.stretch, page, items);
  }

  /**
   * Reads the end of the stretch again, and what follows it. Returns the entries that are new. Messages that the server
   * does not have stay on the page. Nothing changes if a message was sent or loaded meanwhile.
   */
  protected async readEnd(): Promise<Entry[]> {
    const { stretch, stored } = this;
    const last = stretch.first + stored.length - 1;
    let total = this.session!.message_count;
    if (this.hasNewer && last <= total) {
      this.total = total; // what follows is loaded when the user scrolls there
      return [];
    }
    const from = pageOf(Math.min(last, total));
    if (stretch.first > Math.max(1, total) || pageOf(total) > from + 2) {
      await this.openAt(total, true);
      return [];
    }
    const items: Entry[] = [];
    for (let page = from; page <= pageOf(total); page++) {
      const read = await this.#fetch(page);
      items.push(...read.items);
      total = read.total;
    }
    if (this.live || this.stretch !== stretch) return [];
    this.total = total;
    this.stretch = replaceEnd({ first: stretch.first, items: stored }, from, items);
    this.push(...stretch.items.filter((entry) => !stored.includes(entry)));
    return items.filter((entry) => !stored.includes(entry));
  }

  async #read(page: number): Promise<Entry[]> {
    const { items, total } = await this.#fetch(page);
    this.total = total;
    return items;
  }

  /** Reads a page. Messages that are on the page keep their entries. */
  async #fetch(page: number): Promise<{ items: Entry[]; total: number }> {
    const { messages, total } = await operations.listMessages(this.sessionId!, page, pageSize, this.closed.signal);
    const shown = new Map(this.stored.map((entry) => [entry.message.id, entry]));
    const entryOf = (message: Message) => {
      const entry = shown.get(message.id);
      if (!entry) return new Entry(message);
      return entry === this.live ? entry : entry.update(message);
    };
    return { items: messages.map(entryOf), total };
  }

  protected push(...entries: Entry[]): void {
    this.stretch = { first: this.stretch.first, items: [...this.stretch.items, ...entries] };
  }

  protected drop(...dropped: Entry[]): void {
    const items = this.stretch.items.filter((item) => !dropped.includes(item));
    this.stretch = { first: this.stretch.first, items };
  }
}
