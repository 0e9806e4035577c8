import { ApiError, code } from "../api/call";
import type { ReplyEvent } from "../api/reply";
import type { Message, SendOutput } from "../api/types";

/** Where a message on the page stands: kept by the server, on its way, or refused. */
export type EntryState = "stored" | "sending" | "pending" | "failed";

let nextKey = 1;

/** A message on the page. It keeps its key while the server gives it an id. */
export class Entry {
  readonly key = nextKey++;
  message: Message = $state()!;
  state: EntryState = $state("stored");
  error: unknown = $state(null);
  /** When the first thought of a reply in the making came. */
  thinkingSince = 0;

  constructor(message: Message, state: EntryState = message.status === "pending" ? "pending" : "stored") {
    this.message = message;
    this.state = state;
  }

  static local(role: Message["role"], content: string, state: EntryState): Entry {
    return new Entry({ id: "", role, content, timestamp: Math.floor(Date.now() / 1000), is_favorited: false }, state);
  }

  /** Forgets what a reply says so far, since it is made anew. */
  restart(): void {
    const { id, role, timestamp, is_favorited } = this.message;
    this.message = { id, role, timestamp, is_favorited, content: "" };
    this.state = "pending";
    this.error = null;
    this.thinkingSince = 0;
  }

  complete(output: SendOutput): void {
    this.message = { ...output.ai_response, role: "assistant", is_favorited: this.message.is_favorited };
    this.state = "stored";
  }
}

/** Takes the events of a reply in, those of text gathered up to the next frame. */
export class ReplyWriter {
  #text = "";
  #thinking = "";
  #frame = 0;

  constructor(
    readonly reply: Entry,
    readonly started: (ids: { user_message_id: string; message_id: string }) => void,
  ) {}

  take(event: ReplyEvent): void {
    const { reply } = this;
    switch (event.name) {
      case "start":
        reply.restart();
        reply.message.id = event.data.message_id;
        this.started(event.data);
        break;
      case "restart":
        this.drop();
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
        this.drop();
        reply.complete(event.data);
        break;
      case "error":
        this.drop();
        throw new ApiError(event.data.error || code.internal, event.data.message);
    }
  }

  drop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#text = this.#thinking = "";
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#thinking) this.reply.message.thinking = (this.reply.message.thinking ?? "") + this.#thinking;
      if (this.#text) this.reply.message.content += this.#text;
      this.#text = this.#thinking = "";
    });
  }
}
