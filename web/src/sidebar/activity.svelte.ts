import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { follow } from "../api/reply";
import type { Session } from "../api/types";
import { router } from "../shared/router.svelte";

/** A reply that was finished while the user did not look at it. */
export interface Finished {
  sessionId: string;
  content: string;
  /** How long this page has waited for it, in milliseconds. */
  duration: number;
}

/** A reply is pending for so long at most, in milliseconds. */
const longestReply = 600_000;

/** How many replies are followed at once in the background. A browser opens only six connections to a server. */
const maxFollowed = 3;

/** Which chats are working on a reply, and which have one that the user has not seen. */
export class Activity {
  readonly unread = new SvelteSet<string>();
  /** Called for each reply that finishes unseen. */
  onfinished: (reply: Finished) => void = () => {};
  /** Called for each chat that may wait for a reply which was asked for elsewhere. */
  onadded: (sessionId: string) => void = () => {};

  /** When the reply of a session began, by session. */
  #working = new SvelteMap<string, number>();
  /** The replies to follow in the background, by session. */
  #left = new Map<string, string>();
  #followed = new Set<string>();
  /** The number of messages of each session as the list last told it. */
  #counts = new Map<string, number>();
  /** The sessions that this browser has changed since. */
  #own = new Set<string>();

  /** looking reports whether the user sees a session now. */
  constructor(
    private readonly ended: AbortSignal,
    private readonly looking: (sessionId: string) => boolean,
    private readonly now: () => number = () => Date.now(),
    private readonly followReply: typeof follow = follow,
  ) {}

  isWorking(sessionId: string): boolean {
    return this.#working.has(sessionId);
  }

  /** Notes that the open chat waits for a reply. */
  begin(sessionId: string): void {
    if (!this.#working.has(sessionId)) this.#working.set(sessionId, this.now());
  }

  /** Notes that the reply of the open chat is finished. content is empty if it failed. */
  end(sessionId: string, content: string): void {
    const began = this.#working.get(sessionId);
    if (began === undefined) return;
    this.#working.delete(sessionId);
    if (!content || this.looking(sessionId)) return;
    this.unread.add(sessionId);
    this.onfinished({ sessionId, content, duration: this.now() - began });
  }

  /** Follows the reply of a chat that the user has left. */
  leave(sessionId: string, messageId: string): void {
    this.begin(sessionId);
    if (!this.#followed.has(sessionId)) this.#left.set(sessionId, messageId);
    this.#followNext();
  }

  /** Notes that the user sees a chat. */
  see(sessionId: string): void {
    this.unread.delete(sessionId);
  }

  /** Notes that this browser has changed a session, so that what is new in it has been seen here. */
  change(sessionId: string): void {
    this.#own.add(sessionId);
  }

  /** Compares the list of sessions with the last one. Messages that another device has added are unread. */
  compare(list: Pick<Session, "id" | "message_count" | "last_message_time">[]): void {
    for (const { id, message_count, last_message_time } of list) {
      const known = this.#counts.get(id);
      this.#counts.set(id, message_count);
      const isOwn = this.#own.delete(id);
      if (isOwn || this.isWorking(id) || this.looking(id)) continue;
      const hasMore = known !== undefined && message_count > known;
      const isRecent = this.now() - last_message_time * 1000 < longestReply;
      if (hasMore) this.unread.add(id);
      if (hasMore || (known === undefined && isRecent)) this.onadded(id);
    }
  }

  #followNext(): void {
    const [next] = this.#left;
    if (this.ended.aborted || !next || this.#followed.size >= maxFollowed) return;
    const [sessionId, messageId] = next;
    this.#left.delete(sessionId);
    this.#followed.add(sessionId);
    void this.#follow(sessionId, messageId).finally(() => {
      this.#followed.delete(sessionId);
      this.#followNext();
    });
  }

  async #follow(sessionId: string, messageId: string): Promise<void> {
    let content = "";
    try {
      await this.followReply(
        messageId,
        (event) => {
          if (event.name === "done") content = event.data.ai_response.content;
        },
        this.ended,
      );
    } catch {
      // The chat shows the error when it is opened.
    }
    if (!this.ended.aborted) this.end(sessionId, content);
  }
}

/** The id of the chat on the page, or null. */
export const openSession = () => (router.place.page === "chat" ? router.place.sessionId : null);
