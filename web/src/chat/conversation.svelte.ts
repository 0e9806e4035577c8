import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { assignFiles } from "./attachments";
import { changes } from "../shared/changes";
import { Draft } from "../composer/draft.svelte";
import { Edits } from "./edits.svelte";
import type { Entry } from "./entry.svelte";
import { setFavorite } from "./favoriting";
import { Files } from "../files/files.svelte";
import { titleWatch } from "./title-watch";
import { isGone } from "./transcript.svelte";
import { Turns } from "./turns.svelte";

/** Connects a conversation to the page. */
export interface Callbacks {
  /** Called after the session is created, with the first message or file. */
  created(sessionId: string): void;
  /** Returns the id of the user, or 0 if it is not known yet. */
  userId(): number;
}

/** The session on the page: a stretch of its messages, its files, the pending reply, and what is not sent yet. */
export class Conversation extends Turns {
  error: unknown = $state(null);
  /** After how many seconds a session that is created here is deleted; 0 is never. */
  expiresIn = $state(0);
  readonly files = new Files();
  readonly draft: Draft;
  readonly edits: Edits;
  attachments = $derived.by(() => {
    const { of, waiting } = assignFiles(this.entries, this.files.stored, !this.hasOlder);
    // If the end of the session is not loaded, they may have gone with a question there.
    return { of, waiting: this.hasNewer || this.loading === "opening" ? [] : waiting };
  });

  /** The model of the last reply on the page; "" is the default one. */
  lastModel = $derived(this.entries.findLast(({ message }) => message.role === "assistant")?.message.model ?? "");

  readonly #callbacks: Callbacks;
  readonly #unlisten: () => void;
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
    this.edits = new Edits(
      () => this.sessionId,
      () => callbacks.userId(),
    );
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
    this.settle();
  }

  protected async openEnd(): Promise<void> {
    await this.#opened; // what is loaded takes the place of what is on the page
    if (this.hasNewer) await this.open();
  }

  async loadOlder(): Promise<void> {
    await this.#load("older", this.hasOlder, () => this.readOlder());
  }

  async loadNewer(): Promise<void> {
    await this.#load("newer", this.hasNewer, () => this.readNewer());
    this.settle();
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
        if (!this.live && !this.switching && !this.loading) this.#dropReceived(await this.readEnd());
      }
    } catch (error) {
      // Otherwise the server could not be reached, and what is shown is the latest that is known.
      this.#noteGone(error);
    } finally {
      this.#refreshing = false;
    }
    this.settle();
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

  /** Makes the session temporary, or permanent again with 0. A session that is not created yet will be. */
  async setExpiry(seconds: number): Promise<void> {
    this.expiresIn = seconds;
    if (!this.sessionId) return;
    await operations.updateSession(this.sessionId, { expires_in: seconds });
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
      await setFavorite(entry.message.id, this.sessionId!, favorited);
      changes.announce(this.sessionId!);
    } catch (error) {
      entry.message.is_favorited = !favorited;
      throw error;
    }
  }

  /** The model may name the session after its first reply. */
  protected replied(): void {
    if (!this.sessionId || this.total !== 2) return;
    void titleWatch.watch(this.sessionId, this.session?.untitled ? undefined : this.session?.title);
  }
}
