import { ApiError, code } from "../api/call";
import { isBeginning, type ReplyEvent } from "../api/reply";
import type { Message, SendOutput } from "../api/types";

/**
 * The state of a message on the page. A reply is pending until it is complete. It is stopped if the user has ended it,
 * and interrupted if its model failed after the first word. A question is failed if the server does not have it.
 */
export type EntryState = "stored" | "sending" | "pending" | "stopped" | "interrupted" | "failed";

function stateOf(message: Message): EntryState {
  return message.status ?? "stored";
}

/** A message on the page. Its key stays the same when the server assigns an id. */
export class Entry {
  readonly key = Symbol();
  message: Message = $state()!;
  state: EntryState = $state("stored");
  error: unknown = $state(null);
  /** When a pending reply started to think, in milliseconds; 0 if it has not. */
  thinkingSince = 0;

  constructor(message: Message, state = stateOf(message)) {
    this.message = message;
    this.state = state;
  }

  /** Shows what the server has now. */
  update(message: Message): this {
    this.message = message;
    this.state = stateOf(message);
    this.error = null;
    return this;
  }

  /** Marks a question that the server does not have, or no longer. */
  fail(error: unknown): void {
    this.message.id = "";
    this.state = "failed";
    this.error = error;
  }

  /** Whether the reply was ended early: by its user, by a failure, or by the model's server. */
  get unfinished(): boolean {
    return this.state === "stopped" || this.state === "interrupted" || (this.state === "stored" && this.finish !== "");
  }

  /** Why the model's server ended the reply, if the model has more to say. */
  get finish(): string {
    return this.message.finish ?? "";
  }

  /** Whether the reply can be continued. */
  get continuable(): boolean {
    return this.unfinished && (this.state !== "stored" || this.finish === "length");
  }

  static local(role: Message["role"], content: string, state: EntryState): Entry {
    return new Entry({ id: "", role, content, timestamp: Math.floor(Date.now() / 1000), is_favorited: false }, state);
  }

  /** Clears a reply before another attempt. */
  restart(): void {
    const { id, role, timestamp, is_favorited } = this.message;
    this.message = { id, role, timestamp, is_favorited, content: "" };
    this.state = "pending";
    this.error = null;
    this.thinkingSince = 0;
  }

  /** Goes on with a reply that has ended early. */
  resume(): void {
    this.state = "pending";
    this.error = null;
    this.thinkingSince = 0;
  }

  complete(output: SendOutput): void {
    const { is_favorited, rating } = this.message;
    this.message = { ...output.ai_response, role: "assistant", is_favorited, rating };
    this.state = stateOf(this.message);
  }
}

/** The ids that a message and its reply get from the server. */
export interface MessageIds {
  user_message_id: string;
  message_id: string;
}

/** Applies the events of a stream to a reply. Text is collected until the next frame. */
export class ReplyWriter {
  #text = "";
  #thinking = "";
  #frame = 0;

  constructor(
    readonly reply: Entry,
    readonly started: (ids: MessageIds) => void,
  ) {}

  apply(event: ReplyEvent): void {
    const { reply } = this;
    switch (event.name) {
      case "start":
        // That of a continued reply comes after the text that is on the page.
        if (isBeginning(event.id)) reply.restart();
        else reply.resume();
        reply.message.id = event.data.message_id;
        this.started(event.data);
        break;
      case "restart":
        this.discard();
        reply.restart();
        break;
      case "sources":
        reply.message.sources = event.data.results;
        break;
      case "thinking":
        reply.thinkingSince ||= Date.now();
        this.#thinking += event.data.text;
        this.#schedule();
        break;
      case "delta":
        if (reply.thinkingSince) reply.message.thinking_ms ??= Date.now() - reply.thinkingSince;
        this.#text += event.data.text;
        this.#schedule();
        break;
      case "done":
        this.discard();
        reply.complete(event.data);
        break;
      case "error": {
        this.flush();
        const { error, message, reason } = event.data;
        throw new ApiError(error || code.internal, message, 0, { reason });
      }
    }
  }

  /** Drops the text that is not on the page yet. */
  discard(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#text = this.#thinking = "";
  }

  /** Puts the text on the page that is not there yet. */
  flush(): void {
    if (this.#thinking) this.reply.message.thinking = (this.reply.message.thinking ?? "") + this.#thinking;
    if (this.#text) this.reply.message.content += this.#text;
    this.discard();
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => this.flush());
  }
}
