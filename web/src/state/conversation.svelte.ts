import * as operations from "../api/operations";
import { regenerate } from "../api/regenerate";
import { follow, sendMessage } from "../api/reply";
import type { ReplyOptions, Session } from "../api/types";
import { assignFiles } from "./attachments";
import { changes } from "./changes";
import { deletions } from "./deletions";
import { Draft } from "./draft.svelte";
import { Entry, type MessageIds, ReplyWriter } from "./entry.svelte";
import { Files } from "./files.svelte";
import { titleWatch } from "./title-watch";
import { isGone, Transcript } from "./transcript.svelte";

/** Connects a conversation to the page. */
export interface Callbacks {
  /** Called after the session is created, with the first message or file. */
  created(sessionId: string): void;
  /** Returns the id of the user, or 0 if it is not known yet. */
  userId(): number;
}

/** The session on the page: a stretch of its messages, its files, the pending reply, and what is not sent yet. */
export class Conversation extends Transcript {
  error: unknown = $state(null);
  /** After how many seconds a session that is created here is deleted; 0 is never. */
  expiresIn = $state(0);
  readonly files = new Files();
  readonly draft: Draft;
  attachments = $derived.by(() => {
    const { of, waiting } = assignFiles(this.entries, this.files.stored, !this.hasOlder);
    // If the end of the session is not loaded, they may have gone with a question there.
    return { of, waiting: this.hasNewer || this.loading === "opening" ? [] : waiting };
  });

  readonly #callbacks: Callbacks;
  readonly #unlisten: () => void;
  /** Whether to stop the pending reply as soon as its id is known. */
  #stopRequested = false;
  /** Whether the session was created for a message sent here and is still empty. */
  #disposable = false;
  #opened = Promise.resolve();
  #refreshing = false;
  #stale = false;

  /** The session may be known from the list. It is read again when it is opened. */
  constructor(sessionId: string | null, callbacks: Callbacks, session?: Session) {
    super();
    this.sessionId = sessionId;
    this.session = session;
    this.#callbacks = callbacks;
    this.draft = new Draft(sessionId, () => callbacks.userId());
    this.#unlisten = changes.listen((id, elsewhere) => {
      if (id !== this.sessionId) return;
      if (elsewhere) void this.refresh();
      else void this.loadSession().catch((error) => this.#noteGone(error));
    });
  }

  /** Aborts all requests. Deletes the session if its only message failed, unless the login has ended. */
  close(loggedIn = true): void {
    this.closed.abort();
    this.#unlisten();
    if (!loggedIn || !this.#disposable || this.total > 0 || this.live) return;
    const id = this.sessionId!;
    this.draft.moveTo(null);
    // If this fails, an empty session is left, which does no harm.
    operations.deleteSession(id, true).then(
      () => changes.announce(id),
      () => {},
    );
  }

  /** Loads the end of the session, or the page of the message with a number. */
  async open(number?: number): Promise<void> {
    if (!this.sessionId) return;
    this.#opened = this.#open(number);
    await this.#opened;
  }

  async #open(number?: number): Promise<void> {
    this.loading = "opening";
    this.error = null;
    try {
      const session = this.loadSession();
      if (!this.session) await session;
      await Promise.all([session, this.openAt(number ?? this.session!.message_count, number === undefined)]);
    } catch (error) {
      this.#setError(error);
    } finally {
      this.loading = "";
    }
    this.#settle();
  }

  async loadOlder(): Promise<void> {
    await this.#load("older", this.hasOlder, () => this.readOlder());
  }

  async loadNewer(): Promise<void> {
    await this.#load("newer", this.hasNewer, () => this.readNewer());
    this.#settle();
  }

  async #load(direction: "older" | "newer", hasMore: boolean, read: () => Promise<void>): Promise<void> {
    if (!hasMore || this.loading) return;
    this.loading = direction;
    try {
      await read();
    } catch (error) {
      this.#setError(error);
    } finally {
      this.loading = "";
    }
  }

  #setError(error: unknown): void {
    if (this.closed.signal.aborted) return;
    this.error = error;
    if (isGone(error)) this.draft.moveTo(null);
  }

  #noteGone(error: unknown): void {
    if (isGone(error)) this.#setError(error);
  }

  /** Reads again what may have changed elsewhere. */
  async refresh(): Promise<void> {
    if (!this.sessionId || this.loading || isGone(this.error)) return;
    if (this.error) return this.open();
    this.#stale = true;
    if (this.#refreshing) return;
    this.#refreshing = true;
    try {
      while (this.#stale && !this.closed.signal.aborted) {
        this.#stale = false;
        await Promise.all([this.loadSession(), this.files.load(this.sessionId)]);
        if (!this.live && !this.loading) this.#dropReceived(await this.readEnd());
      }
    } catch (error) {
      // Otherwise the server could not be reached, and what is shown is the latest that is known.
      this.#noteGone(error);
    } finally {
      this.#refreshing = false;
    }
    this.#settle();
  }

  /** Takes failed questions off the page that the server had received after all. */
  #dropReceived(read: Entry[]): void {
    for (const entry of this.entries.filter(({ state }) => state === "failed")) {
      const received = read.some(({ message }) => message.role === "user" && message.content === entry.message.content);
      if (received) this.discard(entry);
    }
  }

  /** Returns the session's id. Creates the session if there is none yet. */
  async ensureSession(forMessage = false): Promise<string> {
    if (!forMessage) this.#disposable = false;
    if (!this.sessionId) {
      const created = await operations.createSession(this.expiresIn);
      const { session_id: id, title, expires_at } = created;
      this.sessionId = id;
      this.session = { id, title, untitled: true, message_count: 0, last_message_time: 0, expires_at };
      this.#disposable = forMessage;
      this.draft.moveTo(id);
      this.#callbacks.created(id);
    }
    return this.sessionId;
  }

  /** Sends a message that is unsent in the draft. If that fails, the message stays on the page with the error. */
  async send(content: string, options: ReplyOptions): Promise<void> {
    await this.#opened; // what is loaded takes the place of what is on the page
    if (this.hasNewer) await this.open();
    const question = Entry.local("user", content, "sending");
    const reply = Entry.local("assistant", "", "pending");
    this.push(question, reply);
    await this.#stream(
      reply,
      async (writer) => {
        await deletions.files.flush(); // a removed file is not for the model
        const session_id = await this.ensureSession(true);
        await sendMessage({ session_id, content, ...options }, (event) => writer.apply(event), this.closed.signal);
      },
      {
        started: (ids) => {
          if (!question.message.id) this.total += 2;
          question.message.id = ids.user_message_id;
          question.state = "stored";
          this.draft.release(content);
          changes.announce(this.sessionId!); // its title and position in the list
        },
        failed: (error) => this.#fail(question, reply, error),
      },
    );
  }

  /** Shows that a turn has failed. The server has neither the question nor the reply. */
  #fail(question: Entry | undefined, reply: Entry, error: unknown): void {
    const started = question !== undefined && question.message.id !== "";
    if (started) {
      this.total -= 2;
      this.draft.hold(question.message.content);
    }
    const interrupted = reply.message.content !== "";
    question?.fail("failed", interrupted ? null : error);
    if (interrupted) reply.fail("interrupted", error);
    // A read that began before the failure still has the turn. It is ignored, because the stretch is another.
    this.drop(...(interrupted ? [] : [reply]));
    if (started) void this.refresh(); // the server may have kept them
  }

  /** Sends the question of a failed or interrupted turn again. */
  sendAgain(entry: Entry, options: ReplyOptions): void {
    const question = this.#take(entry);
    if (question) void this.send(question.message.content, options);
  }

  /** Removes a failed or interrupted turn from the page. */
  discard(entry: Entry): void {
    const question = this.#take(entry);
    if (question) this.draft.release(question.message.content);
  }

  /** Takes a question and its interrupted reply off the page, given either. */
  #take(entry: Entry): Entry | undefined {
    const at = this.entries.indexOf(entry);
    const question = entry.message.role === "user" ? entry : this.entries[at - 1];
    const reply = this.entries[this.entries.indexOf(question!) + 1];
    if (question) this.drop(question);
    if (reply?.state === "interrupted" && !reply.message.id) this.drop(reply);
    return question;
  }

  /** Regenerates the last reply. */
  async regenerate(options: ReplyOptions): Promise<void> {
    const reply = this.entries.at(-1);
    if (!reply || !this.sessionId || this.live) return;
    const before = { ...reply.message };
    const { id } = before;
    reply.restart();
    const run = (writer: ReplyWriter) =>
      regenerate(this.sessionId!, id, options, (event) => writer.apply(event), this.closed.signal);
    await this.#stream(reply, run, {
      started: () => changes.announce(this.sessionId!),
      failed: (error) => {
        reply.update(before);
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

  /** Makes the session temporary, or permanent again with 0. A session that is not created yet will be. */
  async setExpiry(seconds: number): Promise<void> {
    this.expiresIn = seconds;
    if (!this.sessionId) return;
    await operations.setExpiry(this.sessionId, seconds);
    changes.announce(this.sessionId);
  }

  async clear(): Promise<void> {
    await operations.clearSession(this.sessionId!);
    this.stretch = { first: 1, items: [] };
    this.total = 0;
    changes.announce(this.sessionId!);
  }

  async toggleFavorite(entry: Entry): Promise<void> {
    const favorited = !entry.message.is_favorited;
    entry.message.is_favorited = favorited;
    try {
      if (favorited) await operations.addFavorite(entry.message.id, this.sessionId!);
      else await operations.removeFavorite(entry.message.id);
      changes.announce(this.sessionId!);
    } catch (error) {
      entry.message.is_favorited = !favorited;
      throw error;
    }
  }

  /** Compares the draft with what was read, and follows the last reply if it is pending. */
  #settle(): void {
    if (this.hasNewer || this.live || this.closed.signal.aborted) return;
    const [question, reply] = this.stored.slice(-2);
    if (question?.message.role === "user") this.draft.settle(question.message.content);
    if (reply?.state !== "pending") return;
    const run = (writer: ReplyWriter) => follow(reply.message.id, (event) => writer.apply(event), this.closed.signal);
    void this.#stream(reply, run, { failed: (error) => this.#fail(question, reply, error) });
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
      if (this.closed.signal.aborted) return;
      this.live = null;
      hooks.failed(error);
    } finally {
      this.live = null;
    }
    if (!this.sessionId) return;
    changes.announce(this.sessionId);
    if (this.total !== 2) return;
    void titleWatch.watch(this.sessionId, this.session?.untitled ? undefined : this.session?.title);
  }
}
