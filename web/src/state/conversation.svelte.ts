import { ApiError, code } from "../api/call";
import * as operations from "../api/operations";
import { regenerate } from "../api/regenerate";
import { follow, sendMessage } from "../api/reply";
import type { ReplyOptions } from "../api/types";
import { Entry, type MessageIds, ReplyWriter } from "./entry.svelte";
import { append, firstOf, pageOf, pageSize, prepend, type Stretch } from "./history";

/** Connects a conversation to the page and the session list. */
export interface Callbacks {
  /** Called after the session is created, with the first message or file. */
  created(sessionId: string): void;
  /** Called after a change that affects the session list. */
  changed(sessionId: string): void;
  /** Returns the number of messages of the session according to the session list, if it is listed. */
  expected(sessionId: string): number | undefined;
}

/** The session on the page: a stretch of its messages and the pending reply. */
export class Conversation {
  sessionId: string | null = $state(null);
  stretch: Stretch<Entry> = $state.raw({ first: 1, items: [] });
  total = $state(0);
  loading: "" | "opening" | "older" | "newer" = $state("");
  error: unknown = $state(null);
  /** The pending reply. */
  live: Entry | null = $state(null);

  readonly #callbacks: Callbacks;
  readonly #closed = new AbortController();
  /** Whether to stop the pending reply as soon as its id is known. */
  #stopRequested = false;
  /** Whether the session was created for a message sent here and is still empty. */
  #disposable = false;

  constructor(sessionId: string | null, callbacks: Callbacks) {
    this.sessionId = sessionId;
    this.#callbacks = callbacks;
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

  /** Aborts all requests. Deletes the session if its only message failed. */
  close(): void {
    this.#closed.abort();
    if (!this.#disposable || this.total > 0 || this.live) return;
    const id = this.sessionId!;
    // If this fails, an empty session is left, which does no harm.
    operations.deleteSession(id, true).then(
      () => this.#callbacks.changed(id),
      () => {},
    );
  }

  /** Loads the end of the session, or the page of the message with a number. */
  async open(number?: number): Promise<void> {
    if (!this.sessionId) return;
    this.loading = "opening";
    this.error = null;
    try {
      await this.#openAt(number ?? this.#callbacks.expected(this.sessionId) ?? 1, number === undefined);
    } catch (error) {
      this.#setError(error);
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
    // A short page does not fill the screen.
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

  async #load(
    direction: "older" | "newer",
    hasMore: boolean,
    page: number,
    join: (items: Entry[]) => Stretch<Entry>,
  ): Promise<void> {
    if (!hasMore || (this.loading && this.loading !== "opening")) return;
    const before = this.loading;
    this.loading = direction;
    try {
      this.stretch = join(await this.#fetch(page));
    } catch (error) {
      this.#setError(error);
    } finally {
      this.loading = before;
    }
  }

  async #fetch(page: number): Promise<Entry[]> {
    const { messages, total } = await operations.listMessages(this.sessionId!, page, pageSize, this.#closed.signal);
    this.total = total;
    return messages.map((message) => new Entry(message));
  }

  #setError(error: unknown): void {
    if (!this.#closed.signal.aborted) this.error = error;
  }

  /** Returns the session's id. Creates the session if there is none yet. */
  async ensureSession(forMessage = false): Promise<string> {
    if (!forMessage) this.#disposable = false;
    if (!this.sessionId) {
      this.sessionId = (await operations.createSession()).session_id;
      this.#disposable = forMessage;
      this.#callbacks.created(this.sessionId);
    }
    return this.sessionId;
  }

  /** Sends a message. If that fails, the message stays on the page with the error. */
  async send(content: string, options: ReplyOptions): Promise<void> {
    if (this.hasNewer) await this.open();
    const question = Entry.local("user", content, "sending");
    const reply = Entry.local("assistant", "", "pending");
    this.#push(question, reply);
    await this.#stream(
      reply,
      async (writer) => {
        const session_id = await this.ensureSession(true);
        await sendMessage({ session_id, content, ...options }, (event) => writer.apply(event), this.#closed.signal);
      },
      {
        started: (ids) => {
          if (!question.message.id) this.total += 2;
          question.message.id = ids.user_message_id;
          question.state = "stored";
          this.#callbacks.changed(this.sessionId!); // its title and position in the list
        },
        failed: (error) => {
          if (question.message.id) this.total -= 2;
          question.message.id = "";
          question.state = "failed";
          question.error = error;
          this.#drop(reply);
        },
      },
    );
  }

  /** Removes a failed question from the page. */
  discard(question: Entry): void {
    this.#drop(question);
  }

  /** Regenerates the last reply. */
  async regenerate(options: ReplyOptions): Promise<void> {
    const reply = this.entries.at(-1);
    if (!reply || !this.sessionId || this.live) return;
    const before = { ...reply.message };
    const { id } = before;
    reply.restart();
    const run = (writer: ReplyWriter) =>
      regenerate(this.sessionId!, id, options, (event) => writer.apply(event), this.#closed.signal);
    await this.#stream(reply, run, {
      failed: (error) => {
        reply.message = before;
        reply.state = "stored";
        reply.error = error;
      },
    });
  }

  /** Stops the pending reply and keeps its text. */
  async stop(): Promise<void> {
    if (!this.live) return;
    this.#stopRequested = true;
    if (this.live.message.id) await operations.stopReply(this.live.message.id);
  }

  async clear(): Promise<void> {
    await operations.clearSession(this.sessionId!);
    this.stretch = { first: 1, items: [] };
    this.total = 0;
    this.#callbacks.changed(this.sessionId!);
  }

  async toggleFavorite(entry: Entry): Promise<void> {
    const favorited = !entry.message.is_favorited;
    entry.message.is_favorited = favorited;
    try {
      if (favorited) await operations.addFavorite(entry.message.id, this.sessionId!);
      else await operations.removeFavorite(entry.message.id);
    } catch (error) {
      entry.message.is_favorited = !favorited;
      throw error;
    }
  }

  /** Follows the last reply if it was pending when its page was loaded. */
  #followPending(): void {
    const reply = this.entries.at(-1);
    if (reply?.state !== "pending" || this.live || this.#closed.signal.aborted) return;
    const question = this.entries.at(-2);
    const run = (writer: ReplyWriter) => follow(reply.message.id, (event) => writer.apply(event), this.#closed.signal);
    void this.#stream(reply, run, {
      failed: (error) => {
        this.total -= 2;
        this.#drop(reply);
        if (question) Object.assign(question, { state: "failed", error });
      },
    });
  }

  async #stream(
    reply: Entry,
    run: (writer: ReplyWriter) => Promise<void>,
    hooks: { started?: (ids: MessageIds) => void; failed: (error: unknown) => void },
  ): Promise<void> {
    const writer = new ReplyWriter(reply, (ids) => {
      hooks.started?.(ids);
      if (this.#stopRequested) void this.stop();
    });
    this.live = reply;
    this.#stopRequested = false;
    try {
      await run(writer);
    } catch (error) {
      writer.discard();
      if (this.#closed.signal.aborted) return;
      hooks.failed(error);
    } finally {
      this.live = null;
    }
    if (this.sessionId) this.#callbacks.changed(this.sessionId);
  }

  #push(...entries: Entry[]): void {
    this.stretch = { first: this.stretch.first, items: [...this.stretch.items, ...entries] };
  }

  #drop(entry: Entry): void {
    this.stretch = { first: this.stretch.first, items: this.stretch.items.filter((item) => item !== entry) };
  }
}

/** Reports whether the session does not exist or was deleted. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === code.noSuchSession;
