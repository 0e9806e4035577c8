import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { assignFiles } from "./attachments";
import { Draft } from "../composer/draft.svelte";
import { Edits } from "./edits.svelte";
import type { Entry } from "./entry.svelte";
import { Files } from "../files/files.svelte";
import { chatHash, router } from "../shared/router.svelte";
import type { UserState } from "../user-state.svelte";
import { isGone, Transcript } from "./transcript.svelte";
import { Turns } from "./turns.svelte";

/** Called with the id of a session that was created, or with null after it was deleted because nothing came of it. */
type Moved = (sessionId: string | null) => void;

/** What a conversation uses of the user's state. */
type User = Pick<
  UserState,
  "account" | "changes" | "deletions" | "ended" | "favoriting" | "quota" | "sessions" | "titleWatch"
>;

/** The session on the page: a stretch of its messages, its files, the pending reply, and what is not sent yet. */
export class Conversation {
  error: unknown = $state(null);
  loading: "" | "opening" | "older" | "newer" = $state("");
  /** After how many seconds a session that is created here is deleted; 0 is never. */
  expiresIn = $state(0);
  /** The questions that are sent after the pending reply, one by one. They are unsent in the draft. */
  queued: string[] = $state([]);
  /** Whether the session, or one that is created here, is temporary. */
  get temporary(): boolean {
    return this.session?.temporary ?? this.#temporary;
  }
  set temporary(temporary: boolean) {
    this.#temporary = temporary;
  }
  #temporary = $state(false);
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
  readonly #moved: Moved;
  readonly #closed = new AbortController();
  readonly #unlisten: () => void;
  /** Whether the session was created here. If nothing is stored in it, it is deleted. */
  #own = false;
  #disposing: Promise<void> | null = null;
  #opened = Promise.resolve();
  #refreshing = false;
  #stale = false;

  /**
   * The session may be known from the list. It is read again when it is opened. A session is created with the first
   * message or file.
   */
  constructor(sessionId: string | null, user: User, moved: Moved, session?: Session) {
    const { signal } = this.#closed;
    this.#user = user;
    this.#moved = moved;
    const userId = () => user.account.userId;
    this.files = new Files(user, () => void this.#dispose());
    this.draft = new Draft(sessionId, userId);
    this.edits = new Edits(() => this.sessionId, userId);
    this.transcript = new Transcript(sessionId, session, signal);
    const surroundings = {
      ensureSession: () => this.ensureSession(),
      failed: () => void this.#dispose(),
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

  /** Aborts all requests. Deletes the session if nothing came of it, unless the login has ended. */
  close(): void {
    this.#closed.abort();
    this.#unlisten();
    if (this.#unused) this.draft.moveTo(null); // at once: the new chat may be the next page
    void Promise.resolve(this.#disposing).then(() => this.#dispose());
  }

  /** Whether nothing came of a session that was created here, as far as the page knows. */
  get #unused(): boolean {
    const { live, sessionId, total } = this.transcript;
    return this.#own && sessionId !== null && total === 0 && !live && this.files.none && !this.#user.ended.aborted;
  }

  /** Deletes a session that was created here if nothing is stored in it. What is unsent moves to the new chat. */
  #dispose(): Promise<void> {
    this.#disposing ??= this.#deleteEmpty()
      .catch(() => {}) // an empty session is left, which does no harm
      .finally(() => (this.#disposing = null));
    return this.#disposing;
  }

  async #deleteEmpty(): Promise<void> {
    if (!this.#unused) return;
    const id = this.sessionId!;
    // The server may have received what seems to have failed, and the user may have named the session.
    const [session, { files }] = await Promise.all([operations.getSession(id), operations.listFiles(id)]);
    const { message_count, untitled, pinned, instructions } = session;
    if (message_count > 0 || files.length > 0 || !untitled || pinned || instructions || !this.#unused) return;
    await operations.deleteSession(id);
    this.#own = false;
    this.transcript.sessionId = null;
    this.transcript.session = undefined;
    this.#user.sessions.disposed.add(id);
    this.#user.changes.announce(id);
    if (this.#closed.signal.aborted) return;
    this.draft.moveTo(null);
    this.#moved(null);
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

  /** Returns the session's id. Creates the session if there is none yet. */
  async ensureSession(): Promise<string> {
    await this.#disposing;
    if (this.sessionId) return this.sessionId;
    const created = await operations.createSession(this.expiresIn, this.#temporary);
    const { session_id: id, title, expires_at, temporary } = created;
    this.transcript.sessionId = id;
    this.transcript.session = {
      id,
      title,
      untitled: true,
      message_count: 0,
      last_message_time: 0,
      expires_at,
      temporary,
    };
    this.#own = true;
    this.draft.moveTo(id);
    this.#moved(id);
    return id;
  }

  /** Lets the session be deleted after some seconds, or keeps it with 0. A session that is not created yet will be. */
  async setExpiry(seconds: number): Promise<void> {
    this.expiresIn = seconds;
    if (!this.sessionId) return;
    await operations.updateSession(this.sessionId, { expires_in: seconds });
    this.#user.changes.announce(this.sessionId);
  }

  async clear(): Promise<void> {
    await operations.clearSession(this.sessionId!);
    this.#own = false; // it is kept
    this.transcript.clear();
    this.#user.changes.announce(this.sessionId!);
  }

  /** Copies the session up to a message to a new one, and opens that. */
  async fork(messageId: string): Promise<void> {
    const { session_id } = await operations.forkSession(this.sessionId!, messageId);
    this.#user.changes.announce(session_id);
    router.go(chatHash(session_id));
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

  /** The model may name the session after its first reply, unless it is temporary. */
  #replied(): void {
    if (!this.sessionId || this.transcript.total !== 2 || this.temporary) return;
    void this.#user.titleWatch.watch(this.sessionId, this.session?.untitled ? undefined : this.session?.title);
  }
}
