import { ApiError, code } from "../api/call";
import * as operations from "../api/operations";
import { regenerate } from "../api/regenerate";
import { ask, follow, type Listener } from "../api/reply";
import type { ReplyOptions } from "../api/types";
import { Entry, ReplyWriter } from "./entry.svelte";
import { append, firstOf, pageOf, pageSize, prepend, type Stretch } from "./history";

/** What a conversation tells those around it. */
export interface Surroundings {
  /** The session was made, with the first message or file. */
  created(sessionId: string): void;
  /** A message came or went: the list of sessions has changed. */
  changed(sessionId: string): void;
  /** How many messages the session has, as far as the list knows. */
  expected(sessionId: string): number | undefined;
}

/** One session on the page: a stretch of its messages, and the reply in the making. */
export class Conversation {
  sessionId: string | null = $state(null);
  stretch: Stretch<Entry> = $state.raw({ first: 1, items: [] });
  total = $state(0);
  loading: "" | "opening" | "older" | "newer" = $state("");
  error: unknown = $state(null);
  /** The reply in the making. */
  live: Entry | null = $state(null);

  readonly #around: Surroundings;
  readonly #closed = new AbortController();
  #stopWanted = false;
  /** Made for a question of this page, and nothing is in it yet. */
  #disposable = false;

  constructor(sessionId: string | null, around: Surroundings) {
    this.sessionId = sessionId;
    this.#around = around;
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

  /** Ends what is under way here. A session whose only question failed is not left behind. */
  close(): void {
    this.#closed.abort();
    if (!this.#disposable || this.total > 0 || this.live) return;
    const id = this.sessionId!;
    operations.deleteSession(id, true).then(() => this.#around.changed(id), () => {}); // it does no harm
  }

  /** Shows the end of the session, or the surroundings of one message. */
  async open(number?: number): Promise<void> {
    if (!this.sessionId) return;
    this.loading = "opening";
    this.error = null;
    try {
      await this.#openAt(number ?? this.#around.expected(this.sessionId) ?? 1, number === undefined);
    } catch (error) {
      this.#note(error);
    } finally {
      this.loading = "";
    }
    this.#followPending();
  }

  async #openAt(number: number, latest: boolean): Promise<void> {
    let page = pageOf(number);
    let loaded = await this.#fetch(page);
    if (latest && page !== pageOf(this.total)) {
      page = pageOf(this.total);
      loaded = await this.#fetch(page);
    }
    this.stretch = { first: firstOf(page), items: loaded };
    // A page that is nearly empty does not fill the screen.
    if (loaded.length < pageSize / 2 && page > 1) await this.loadOlder();
  }

  async loadOlder(): Promise<void> {
    const page = pageOf(this.stretch.first - 1);
    await this.#load("older", this.hasOlder, page, (items) => prepend(this.stretch, page, items, !this.live));
  }

  async loadNewer(): Promise<void> {
    const page = pageOf(this.stretch.first + this.stretch.items.length);
    await this.#load("newer", this.hasNewer, page, (items) => append(this.stretch, page, items));
    if (!this.hasNewer) this.#followPending();
  }

  async #load(what: "older" | "newer", wanted: boolean, page: number, join: (items: Entry[]) => Stretch<Entry>): Promise<void> {
    if (!wanted || (this.loading && this.loading !== "opening")) return;
    const before = this.loading;
    this.loading = what;
    try {
      this.stretch = join(await this.#fetch(page));
    } catch (error) {
      this.#note(error);
    } finally {
      this.loading = before;
    }
  }

  async #fetch(page: number): Promise<Entry[]> {
    const { messages, total } = await operations.listMessages(this.sessionId!, page, pageSize, this.#closed.signal);
    this.total = total;
    return messages.map((message) => new Entry(message));
  }

  #note(error: unknown): void {
    if (!this.#closed.signal.aborted) this.error = error;
  }

  /** The session's id; makes the session where there is none yet. */
  async ensureSession(forQuestion = false): Promise<string> {
    if (!forQuestion) this.#disposable = false;
    if (!this.sessionId) {
      this.sessionId = (await operations.createSession()).session_id;
      this.#disposable = forQuestion;
      this.#around.created(this.sessionId);
    }
    return this.sessionId;
  }

  /** Asks a question. Where that fails it stays on the page, with the error. */
  async send(content: string, options: ReplyOptions): Promise<void> {
    if (this.hasNewer) await this.open();
    const question = Entry.local("user", content, "sending");
    const reply = Entry.local("assistant", "", "pending");
    this.#push(question, reply);
    await this.#make(reply, async (writer) => {
      const session_id = await this.ensureSession(true);
      const listener: Listener = (event) => writer.take(event);
      await ask({ session_id, content, ...options }, listener, this.#closed.signal);
    }, {
      started: (ids) => {
        if (!question.message.id) this.total += 2;
        question.message.id = ids.user_message_id;
        question.state = "stored";
        this.#around.changed(this.sessionId!); // it has a title now, and is the latest
      },
      failed: (error) => {
        if (question.message.id) this.total -= 2;
        question.message.id = "";
        question.state = "failed";
        question.error = error;
        this.#drop(reply);
      },
    });
  }

  /** Takes a question that failed off the page, to be sent again or not. */
  discard(question: Entry): void {
    this.#drop(question);
  }

  /** Makes the last reply anew. */
  async regenerate(options: ReplyOptions): Promise<void> {
    const reply = this.entries.at(-1);
    if (!reply || !this.sessionId || this.live) return;
    const before = { ...reply.message };
    const { id } = before;
    reply.restart();
    await this.#make(reply, (writer) => regenerate(this.sessionId!, id, options, (event) => writer.take(event), this.#closed.signal), {
      failed: (error) => {
        reply.message = before;
        reply.state = "stored";
        reply.error = error;
      },
    });
  }

  /** Ends the reply in the making, and keeps what it says. */
  async stop(): Promise<void> {
    if (!this.live) return;
    this.#stopWanted = true;
    if (this.live.message.id) await operations.stopReply(this.live.message.id);
  }

  async clear(): Promise<void> {
    await operations.clearSession(this.sessionId!);
    this.stretch = { first: 1, items: [] };
    this.total = 0;
    this.#around.changed(this.sessionId!);
  }

  async toggleFavorite(entry: Entry): Promise<void> {
    const wanted = !entry.message.is_favorited;
    entry.message.is_favorited = wanted;
    try {
      if (wanted) await operations.addFavorite(entry.message.id, this.sessionId!);
      else await operations.removeFavorite(entry.message.id);
    } catch (error) {
      entry.message.is_favorited = !wanted;
      throw error;
    }
  }

  /** A reply that was being made when the page was opened: read on. */
  #followPending(): void {
    const reply = this.entries.at(-1);
    if (reply?.state !== "pending" || this.live || this.#closed.signal.aborted) return;
    const question = this.entries.at(-2);
    void this.#make(reply, (writer) => follow(reply.message.id, (event) => writer.take(event), this.#closed.signal), {
      failed: (error) => {
        this.total -= 2;
        this.#drop(reply);
        if (question) Object.assign(question, { state: "failed", error });
      },
    });
  }

  async #make(
    reply: Entry,
    run: (writer: ReplyWriter) => Promise<void>,
    hooks: { started?: (ids: { user_message_id: string; message_id: string }) => void; failed: (error: unknown) => void },
  ): Promise<void> {
    const writer = new ReplyWriter(reply, (ids) => {
      hooks.started?.(ids);
      if (this.#stopWanted) void this.stop();
    });
    this.live = reply;
    this.#stopWanted = false;
    try {
      await run(writer);
    } catch (error) {
      writer.drop();
      if (this.#closed.signal.aborted) return;
      hooks.failed(error);
    } finally {
      this.live = null;
    }
    if (this.sessionId) this.#around.changed(this.sessionId);
  }

  #push(...entries: Entry[]): void {
    this.stretch = { first: this.stretch.first, items: [...this.stretch.items, ...entries] };
  }

  #drop(entry: Entry): void {
    this.stretch = { first: this.stretch.first, items: this.stretch.items.filter((item) => item !== entry) };
  }
}

/** A session that is not there, or no longer. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === code.noSuchSession;
