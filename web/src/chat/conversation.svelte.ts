import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { assignFiles } from "./attachments";
import { Draft } from "../composer/draft.svelte";
import { Edits } from "./edits.svelte";
import type { Entry } from "./entry.svelte";
import { Files } from "../files/files.svelte";
import type { UserState } from "../user-state.svelte";
import { isGone, Transcript } from "./transcript.svelte";
import { Turns } from "./turns.svelte";

/** What a conversation uses of the user's state. */
type User = Pick<UserState, "account" | "changes" | "deletions" | "ended" | "favoriting" | "quota" | "titleWatch">;

/** The session on the page: a stretch of its messages, its files, the pending reply, and what is not sent yet. */
export class Conversation {
  error: unknown = $state(null);
  loading: "" | "opening" | "older" | "newer" = $state("");
  /** After how many seconds a session that is created here is deleted; 0 is never. */
  expiresIn = $state(0);
  readonly transcript: Transcript;
  readonly turns: Turns;
  readonly files: Files;
  readonly draft: Draft;
  readonly edits: Edits;
  attachments = $derived.by(() => {
    const { entries, hasOlder, hasNewer } = this.transcript;
    const { of, waiting } = assignFiles(entries, this.files.stored, !hasOlder);
    // If the end of the session is not loaded, they may have gone with a question there.
    return { of, waiting: hasNewer || this.loading === "opening" ? [] : waiting };
  });

  /** The model of the last reply on the page; "" is the default one. */
  lastModel = $derived.by(() => {
    const reply = this.transcript.entries.findLast(({ message }) => message.role === "assistant");
    return reply?.message.model ?? "";
  });

  readonly #user: User;
  readonly #created: (sessionId: string) => void;
  readonly #closed = new AbortController();
  readonly #unlisten: () => void;
  /** Whether the session was created for a message sent here and is still empty. */
  #disposable = false;
  #opened = Promise.resolve();
  #refreshing = false;
  #stale = false;

  /**
   * The session may be known from the list. It is read again when it is opened. created is called after the session is
   * created, with the first message or file.
   */
  constructor(sessionId: string | null, user: User, created: (sessionId: string) => void, session?: Session) {
    const { signal } = this.#closed;
    this.#user = user;
    this.#created = created;
    const userId = () => user.account.userId;
    this.files = new Files(user);
    this.draft = new Draft(sessionId, userId);
    this.edits = new Edits(() => this.sessionId, userId);
    this.transcript = new Transcript(sessionId, session, signal);
    const surroundings = {
      ensureSession: () => this.#ensureSession(true),
      refresh: () => this.refresh(),
      openEnd: () => this.#openEnd(),
      replied: () => this.#replied(),
    };
    this.turns = new Turns(this.transcript, this.draft, this.edits, surroundings, user, signal);
    this.#unlisten = user.changes.listen((id, elsewhere) => {
      if (id !== this.sessionId) return;
      if (elsewhere) void this.refresh();
      else void this.transcript.loadSession().catch((error) => this.#noteGone(error));
    });
  }

  get sessionId(): string | null {
    return this.transcript.sessionId;
  }
  get session(): Session | undefined {
    return this.transcript.session;
  }
  /** The pending reply. */
  get live(): Entry | null {
    return this.transcript.live;
  }

  /** Aborts all requests. Deletes the session if its only message failed, unless the login has ended. */
  close(): void {
    this.#closed.abort();
    this.#unlisten();
    if (this.#user.ended.aborted || !this.#disposable || this.transcript.total > 0 || this.live) return;
    const id = this.sessionId!;
    this.draft.moveTo(null);
    // If this fails, an empty session is left, which does no harm.
    operations.deleteSession(id, true).then(
      () => this.#user.changes.announce(id),
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
      const session = this.transcript.loadSession();
      if (!this.session) await session;
      await Promise.all([session, this.transcript.openAt(number ?? this.session!.message_count, number === undefined)]);
    } catch (error) {
      this.#setError(error);
    } finally {
      this.loading = "";
    }
    this.turns.settle();
  }

  async #openEnd(): Promise<void> {
    await this.#opened; // what is loaded takes the place of what is on the page
    if (this.transcript.hasNewer) await this.open();
  }

  async loadOlder(): Promise<void> {
    await this.#load("older", this.transcript.hasOlder, () => this.transcript.readOlder());
  }

  async loadNewer(): Promise<void> {
    await this.#load("newer", this.transcript.hasNewer, () => this.transcript.readNewer());
    this.turns.settle();
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
    if (this.#closed.signal.aborted) return;
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
      while (this.#stale && !this.#closed.signal.aborted) {
        this.#stale = false;
        await Promise.all([this.transcript.loadSession(), this.files.load(this.sessionId)]);
        if (this.live || this.transcript.switching || this.loading) continue;
        this.#dropReceived(await this.transcript.readEnd());
      }
    } catch (error) {
      // Otherwise the server could not be reached, and what is shown is the latest that is known.
      this.#noteGone(error);
    } finally {
      this.#refreshing = false;
    }
    this.turns.settle();
  }

  /** Takes failed questions off the page that the server had received after all. */
  #dropReceived(read: Entry[]): void {
    for (const entry of this.transcript.entries.filter(({ state }) => state === "failed")) {
      const received = read.some(({ message }) => message.role === "user" && message.content === entry.message.content);
      if (received) this.turns.discard(entry);
    }
  }

  /** Returns the session's id. Creates the session for a file if there is none yet. */
  ensureSession(): Promise<string> {
    return this.#ensureSession(false);
  }

  async #ensureSession(forMessage: boolean): Promise<string> {
    if (!forMessage) this.#disposable = false;
    if (!this.sessionId) {
      const created = await operations.createSession(this.expiresIn);
      const { session_id: id, title, expires_at } = created;
      this.transcript.sessionId = id;
      this.transcript.session = { id, title, untitled: true, message_count: 0, last_message_time: 0, expires_at };
      this.#disposable = forMessage;
      this.draft.moveTo(id);
      this.#created(id);
      return id;
    }
    return this.sessionId;
  }

  /** Makes the session temporary, or permanent again with 0. A session that is not created yet will be. */
  async setExpiry(seconds: number): Promise<void> {
    this.expiresIn = seconds;
    if (!this.sessionId) return;
    await operations.updateSession(this.sessionId, { expires_in: seconds });
    this.#user.changes.announce(this.sessionId);
  }

  async clear(): Promise<void> {
    await operations.clearSession(this.sessionId!);
    this.transcript.clear();
    this.#user.changes.announce(this.sessionId!);
  }

  async toggleFavorite(entry: Entry): Promise<void> {
    const favorited = !entry.message.is_favorited;
    entry.message.is_favorited = favorited;
    try {
      await this.#user.favoriting.set(entry.message.id, this.sessionId!, favorited);
      this.#user.changes.announce(this.sessionId!);
    } catch (error) {
      entry.message.is_favorited = !favorited;
      throw error;
    }
  }

  /** The model may name the session after its first reply. */
  #replied(): void {
    if (!this.sessionId || this.transcript.total !== 2) return;
    void this.#user.titleWatch.watch(this.sessionId, this.session?.untitled ? undefined : this.session?.title);
  }
}
