import { ApiError, ErrorCode, unexpectedResponse } from "./error.js";
import { reach } from "./transport.js";

/** The longest silence on a connection in milliseconds. The server sends at least a comment about every 10 seconds. */
export const maxSilence = 45_000;

/** One server-sent event. */
export interface ServerEvent {
  id: string;
  name: string;
  data: string;
}

/** Parses server-sent events from chunks of text that may be split anywhere. */
export class EventParser {
  #rest = "";
  #id = "";
  #name = "";
  #data: string[] = [];

  push(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerEvent[] {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") this.#id = value;
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
    return [];
  }

  #dispatch(): ServerEvent[] {
    const event = { id: this.#id, name: this.#name || "message", data: this.#data.join("\n") };
    const complete = this.#data.length > 0;
    this.#name = "";
    this.#data = [];
    return complete ? [event] : [];
  }
}

/**
 * Reads the events of a response until it ends. Throws an ApiError if the connection is lost, or if nothing arrives
 * for idle milliseconds.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
  idle = Infinity,
): AsyncGenerator<ServerEvent> {
  const parser = new EventParser();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reach(signal, () => within(idle, reader.read()));
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    void reader.cancel().catch(() => {}); // the connection may be gone already
  }
}

/** Reports whether a response is a stream of events. */
export function isEventStream(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
}

/** Returns the value in an event's data. */
export function parseData({ data }: ServerEvent, status: number): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw unexpectedResponse(status, "an event has another form");
  }
}

/** Returns the error in an event that ends a stream. */
export function eventError(event: ServerEvent, status: number): ApiError {
  const data = parseData(event, status) as { error?: number; message?: string; reason?: string };
  const body = data.reason ? { reason: data.reason } : undefined;
  return new ApiError(data.error || ErrorCode.internal, data.message ?? "the request failed", status, body);
}

/** Returns the result of a promise, or fails if it takes longer than a number of milliseconds. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  if (milliseconds === Infinity) return promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing arrived in time")), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
