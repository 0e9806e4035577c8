import { ApiError, code, send } from "./call";
import { readEvents, type ServerEvent } from "./sse";
import type { SendInput, SendOutput, Source } from "./types";

/** An event of a reply stream. */
export type ReplyEvent =
  | { name: "start"; data: { user_message_id: string; message_id: string } }
  | { name: "sources"; data: { results: Source[] } }
  | { name: "thinking"; data: { text: string } }
  | { name: "delta"; data: { text: string } }
  | { name: "restart"; data: Record<string, never> }
  | { name: "done"; data: SendOutput }
  | { name: "error"; data: { error: number; message: string } };

export type Listener = (event: ReplyEvent, attempt: number) => void;

/** Returns the milliseconds to wait before reconnecting, after a number of failures in a row. */
export function retryDelay(failures: number): number {
  return Math.min(10_000, 250 * 2 ** failures);
}

/** Sends a message and passes the events of its reply to the listener until the end. Reconnects if necessary. */
export async function sendMessage(input: SendInput, listener: Listener, signal: AbortSignal): Promise<void> {
  const key = randomKey();
  await read(listener, signal, (position) =>
    position
      ? openFollow(position, signal)
      : send("POST", "/api/chat/stream", { body: input, headers: { "Idempotency-Key": key }, signal }),
  );
}

/** Returns 128 random bits. crypto.randomUUID exists only on pages served over HTTPS or from this machine. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Passes the events of a pending or complete reply to the listener until the end. */
export async function follow(messageId: string, listener: Listener, signal: AbortSignal): Promise<void> {
  await read(listener, signal, (position) => openFollow(position!, signal), { messageId, lastEvent: "" });
}

interface Position {
  messageId: string;
  lastEvent: string;
}

function openFollow({ messageId, lastEvent }: Position, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = lastEvent ? { "Last-Event-ID": lastEvent } : {};
  return send("GET", `/api/chat/stream/${encodeURIComponent(messageId)}`, { headers, signal });
}

async function read(
  listener: Listener,
  signal: AbortSignal,
  open: (position?: Position) => Promise<Response>,
  position?: Position,
): Promise<void> {
  for (let failures = 0; ; failures++) {
    let retryAfter = 0;
    try {
      const response = await open(position);
      for await (const raw of readEvents(response.body!)) {
        failures = 0;
        const event = parse(raw);
        if (event.name === "start") position = { messageId: event.data.message_id, lastEvent: raw.id };
        else if (position) position.lastEvent = raw.id;
        listener(event, attemptOf(raw.id));
        if (event.name === "done" || event.name === "error") return;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // A reply that has started goes on without us, so there is no reason to give up.
      const started = position !== undefined;
      if ((failures >= 8 && !started) || !isRetryable(error, started)) throw error;
      if (error instanceof ApiError) retryAfter = error.retryAfter * 1000;
    }
    await reconnectable(Math.max(retryDelay(failures), retryAfter), signal);
  }
}

/** Reports whether to reconnect. A refusal is final until the reply has started. */
function isRetryable(error: unknown, started: boolean): boolean {
  return !(error instanceof ApiError) || error.code === code.offline || (started && error.temporary);
}

function parse(raw: ServerEvent): ReplyEvent {
  return { name: raw.name, data: JSON.parse(raw.data) as unknown } as ReplyEvent;
}

/** Returns the attempt, which is the first part of an event's id. */
function attemptOf(id: string): number {
  return Number.parseInt(id, 10) || 0;
}

/** Waits for some time, or until the browser has a connection again. */
async function reconnectable(milliseconds: number, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  const online = new Promise<void>((resolve) => {
    addEventListener("online", () => resolve(), { signal: ended.signal });
  });
  try {
    await Promise.race([sleep(milliseconds, AbortSignal.any([signal, ended.signal])), online]);
  } finally {
    ended.abort();
  }
}

export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
