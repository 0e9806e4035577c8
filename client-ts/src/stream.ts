import { ApiError, connectionError, unexpectedResponse } from "./error.js";
import { defaultRetries, isOffline, waitToRetry } from "./retry.js";
import { eventError, isEventStream, maxSilence, parseData, readEvents, type ServerEvent } from "./sse.js";
import type { CallOptions } from "./transport.js";
import type { SendOutput, Source } from "./types.js";

/**
 * An event of a streamed reply. Its id is the reply's attempt and how much of the reply came before its end; it is
 * what follow accepts as lastEventId.
 */
export type ReplyEvent =
  /** The first event: the question and the reply are stored. */
  | { name: "start"; id: string; data: { user_message_id: string; message_id: string } }
  /** The web pages given to the model. */
  | { name: "sources"; id: string; data: { results: Source[] } }
  /** The next piece of the model's thinking. */
  | { name: "thinking"; id: string; data: { text: string } }
  /** The next piece of the reply's text. */
  | { name: "delta"; id: string; data: { text: string } }
  /** The reply starts over: drop the thinking, text and sources so far. */
  | { name: "restart"; id: string; data: Record<string, never> }
  /** The last event, with the complete reply. */
  | { name: "done"; id: string; data: SendOutput };

export interface StreamOptions extends CallOptions {
  /** How often to reconnect in a row without getting an event. The default is 8, with growing pauses. */
  retries?: number | undefined;
}

/** The options of a stream and, for the client itself, whether its request is safe to send again. */
export interface ReplyStreamOptions extends StreamOptions {
  sendsAgain?: boolean;
}

const names: ReadonlySet<string> = new Set<ReplyEvent["name"]>([
  "start",
  "sources",
  "thinking",
  "delta",
  "restart",
  "done",
]);

/** Opens the response at the position of a stream. */
export type Open = (position: ReplyStream, signal: AbortSignal) => Promise<Response>;

/**
 * A streamed reply, to be read by one loop: `for await (const event of stream)`. The request is sent when the loop
 * begins. If the connection is lost, the stream reconnects and continues after the last event. The loop ends after
 * the event "done". It throws an ApiError if the reply fails or the server can't be reached again, and the reason of
 * the signal if that is aborted. Leaving the loop closes the stream; the server continues the reply.
 */
export class ReplyStream implements AsyncIterable<ReplyEvent> {
  /** The id of the reply. It is empty until the event "start". */
  messageId: string;
  /** The id of the last event. */
  lastEventId: string;

  readonly #open: Open;
  readonly #options: ReplyStreamOptions;
  readonly #events: AsyncGenerator<ReplyEvent, void>;
  readonly #closed = new AbortController();

  /** Clients create streams. The position is empty for a new message. */
  constructor(open: Open, options: ReplyStreamOptions, messageId = "", lastEventId = "") {
    this.#open = open;
    this.#options = options;
    this.messageId = messageId;
    this.lastEventId = lastEventId;
    this.#events = this.#run();
  }

  [Symbol.asyncIterator](): AsyncIterator<ReplyEvent, void> {
    return this.#events;
  }

  /** Reads to the end and returns the complete reply. */
  async wait(): Promise<SendOutput> {
    for await (const event of this) if (event.name === "done") return event.data;
    throw new Error("the stream was closed before its end");
  }

  /** Closes the stream and ends its loop. The server continues the reply. */
  close(): void {
    this.#closed.abort();
  }

  async *#run(): AsyncGenerator<ReplyEvent, void> {
    const { signal, retries = defaultRetries } = this.#options;
    const abort = () => this.#closed.abort();
    signal?.addEventListener("abort", abort);
    try {
      for (let failures = 0; ; failures++) {
        signal?.throwIfAborted();
        try {
          for await (const event of this.#connect()) {
            failures = 0;
            yield event;
            if (event.name === "done") return;
          }
          throw connectionError("the stream was cut off");
        } catch (error) {
          if (this.#closed.signal.aborted) throw error;
          if (failures >= retries || !this.#mayRetry(error)) throw error;
          await waitToRetry(failures, error, this.#closed.signal);
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!this.#closed.signal.aborted) throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Reads one connection. */
  async *#connect(): AsyncGenerator<ReplyEvent, void> {
    const { signal } = this.#closed;
    const response = await this.#open(this, signal);
    if (!response.body || !isEventStream(response)) {
      throw unexpectedResponse(response.status, "no event stream");
    }
    for await (const raw of readEvents(response.body, signal, maxSilence)) {
      if (raw.id) this.lastEventId = raw.id;
      const event = decode(raw, response.status);
      if (event?.name === "start") this.messageId = event.data.message_id;
      if (event) yield event;
    }
  }

  /** Reports whether to reconnect. A refusal is final until the reply has started. */
  #mayRetry(error: unknown): boolean {
    if (this.messageId !== "") return error instanceof ApiError && error.temporary;
    return this.#options.sendsAgain !== false && isOffline(error);
  }
}

/** Returns an event, or undefined if it is unknown. Throws the error of a reply that failed. */
function decode(event: ServerEvent, status: number): ReplyEvent | undefined {
  const { id, name } = event;
  if (name === "error") throw eventError(event, status);
  if (!names.has(name)) return undefined;
  return { name, id, data: parseData(event, status) } as ReplyEvent;
}
