import { ApiError, code } from "../api/call";
import * as operations from "../api/operations";
import type { Message, Session } from "../api/types";
import { Entry } from "./entry.svelte";
import { append, firstOf, pageOf, pageSize, prepend, replaceEnd, type Stretch } from "./history";

/** Reports whether the session does not exist or was deleted. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === code.noSuchSession;

/** The part of a session that is on the page: a stretch of its messages. */
export class Transcript {
  sessionId: string | null = $state()!;
  /** The session, as soon as it is known. */
  session: Session | undefined = $state();
  stretch: Stretch<Entry> = $state.raw({ first: 1, items: [] });
  total = $state(0);
  /** The pending reply. */
  live: Entry | null = $state(null);
  /** The message that is about to show another version. It keeps its place on the screen. */
  switching: Entry | null = $state.raw(null);
  /** Failed questions that are off the page, because the end of the session is. */
  readonly #away: Entry[] = [];

  /** The signal ends all reading. */
  constructor(
    sessionId: string | null,
    session: Session | undefined,
    private readonly signal: AbortSignal,
  ) {
    this.sessionId = sessionId;
    this.session = session;
  }

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

  /** Returns the number of a message that the server has. */
  numberOf(entry: Entry): number {
    return this.stretch.first + this.stored.indexOf(entry);
  }

  async loadSession(): Promise<void> {
    this.session = await operations.getSession(this.sessionId!, this.signal);
  }

  /** Takes all messages off the page, which the server no longer has. */
  clear(): void {
    this.stretch = { first: 1, items: [] };
    this.total = 0;
  }

  /** Loads the page of the message with a number, or the last one: also if there is no such message any more. */
  async openAt(number: number, latest: boolean): Promise<void> {
    let page = pageOf(number);
    let loaded = await this.#read(page);
    if ((latest || loaded.length === 0) && page !== pageOf(this.total)) {
      page = pageOf(this.total);
      loaded = await this.#read(page);
    }
    this.#away.push(...this.entries.filter(({ state }) => state === "failed"));
    this.stretch = { first: firstOf(page), items: loaded };
    this.#bringBack();
    // A short page does not fill the screen.
    if (loaded.length < pageSize / 2 && page > 1) await this.readOlder();
  }

  async readOlder(): Promise<void> {
    const { first } = this.stretch;
    const page = pageOf(first - 1);
    const items = await this.#read(page);
    if (this.stretch.first !== first) return; // another part of the session was opened meanwhile
    this.stretch = prepend(this.stretch, page, items, !this.live);
  }

  async readNewer(): Promise<void> {
    const { stretch } = this;
    const page = pageOf(stretch.first + stretch.items.length);
    const { items, total } = await this.#fetch(page);
    if (this.stretch !== stretch) return; // a question was replaced meanwhile
    this.total = total;
    this.stretch = append(stretch, page, items);
    this.#bringBack();
  }

  /** Puts the failed questions behind the end of the session, if that is on the page. */
  #bringBack(): void {
    if (!this.hasNewer) this.push(...this.#away.splice(0));
  }

  /**
   * Reads the end of the stretch again, and what follows it. Returns the entries that are new. Messages that the server
   * does not have stay on the page. Nothing changes if a message was sent, loaded or switched meanwhile.
   */
  async readEnd(): Promise<Entry[]> {
    const { stretch, stored } = this;
    const last = stretch.first + stored.length - 1;
    let total = this.session!.message_count;
    let from = pageOf(Math.min(last, total));
    // If the end is not on the page, what follows is loaded when the user scrolls there.
    const to = this.hasNewer && last <= total ? from : pageOf(total);
    if (stretch.first > Math.max(1, total) || to > from + 2) {
      await this.openAt(total, true);
      return [];
    }
    const items: Entry[] = [];
    for (let page = from; page <= to; page++) {
      const read = await this.#fetch(page);
      items.push(...read.items);
      total = read.total;
    }
    // If another version is shown now, the messages before these may be others too.
    while (from > pageOf(stretch.first) && stored[firstOf(from) - stretch.first] !== items[0]) {
      const read = await this.#fetch(--from);
      items.unshift(...read.items);
    }
    if (this.live || this.switching || this.stretch !== stretch) return [];
    this.total = total;
    this.#replaceEnd(from, items);
    return items.filter((entry) => !stored.includes(entry));
  }

  /** Reads a message again that shows another version now, and what follows it. The message keeps its entry. */
  async readFrom(entry: Entry): Promise<void> {
    const number = this.numberOf(entry);
    const page = pageOf(number);
    const { items, total } = await this.#fetch(page);
    const at = number - firstOf(page);
    if (items[at]) items[at] = entry.update(items[at].message);
    this.total = total;
    this.#replaceEnd(page, items);
    if (this.hasNewer && items.length - at < pageSize / 2) await this.readNewer();
  }

  /** Replaces the end of the stretch by what was read. Messages that the server does not have follow it. */
  #replaceEnd(page: number, items: Entry[]): void {
    const unsent = this.entries.filter(({ message }) => message.id === "");
    this.stretch = replaceEnd({ first: this.stretch.first, items: this.stored }, page, items);
    this.push(...unsent);
  }

  /**
   * Reads the last turn again, which is that of a reply. Reports whether the server has it. Nothing changes if the reply
   * is continued or regenerated meanwhile.
   */
  async readTurn(reply: Entry): Promise<boolean> {
    if (this.total < 2) return false;
    const { live } = this;
    const { messages } = await operations.listMessages(this.sessionId!, this.total / 2, 2, this.signal);
    const [asked, replied] = messages;
    if (live !== reply && this.live === reply) return true;
    if (!asked || !replied || replied.id !== reply.message.id) return false;
    this.stored.find(({ message }) => message.id === asked.id)?.update(asked);
    reply.update(replied);
    return true;
  }

  async #read(page: number): Promise<Entry[]> {
    const { items, total } = await this.#fetch(page);
    this.total = total;
    return items;
  }

  /** Reads a page. Messages that are on the page keep their entries. */
  async #fetch(page: number): Promise<{ items: Entry[]; total: number }> {
    const { messages, total } = await operations.listMessages(this.sessionId!, page, pageSize, this.signal);
    // A reply that grows may be off the page.
    const known = this.live ? [...this.stored, this.live] : this.stored;
    const shown = new Map(known.map((entry) => [entry.message.id, entry]));
    const entryOf = (message: Message) => {
      const entry = shown.get(message.id);
      if (!entry) return new Entry(message);
      return entry === this.live ? entry : entry.update(message);
    };
    return { items: messages.map(entryOf), total };
  }

  /** Puts entries behind the others. */
  push(...entries: Entry[]): void {
    this.stretch = { first: this.stretch.first, items: [...this.stretch.items, ...entries] };
  }

  /** Takes entries off the page. */
  drop(...dropped: Entry[]): void {
    const items = this.stretch.items.filter((item) => !dropped.includes(item));
    this.stretch = { first: this.stretch.first, items };
  }
}
