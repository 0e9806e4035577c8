import { ApiError, code, send } from "./call";
import { readEvents, type ServerEvent } from "./sse";
import type { SendInput, SendOutput, Source } from "./types";

/** What can happen to a reply while it is being made. */
export type ReplyEvent =
  | { name: "start"; data: { user_message_id: string; message_id: string } }
  | { name: "sources"; data: { results: Source[] } }
  | { name: "thinking"; data: { text: string } }
  | { name: "delta"; data: { text: string } }
  | { name: "restart"; data: Record<string, never> }
  | { name: "done"; data: SendOutput }
  | { name: "error"; data: { error: number; message: string } };

export type Listener = (event: ReplyEvent, attempt: number) => void;

/** How long to wait before the connection is tried again, by how often it failed in a row. */
export function pause(failures: number): number {
  return Math.min(10_000, 250 * 2 ** failures);
}

/** Asks a question and tells of its reply to the end, over as many connections as it takes. */
export async function ask(input: SendInput, listener: Listener, signal: AbortSignal): Promise<void> {
  const key = crypto.randomUUID();
  await read(listener, signal, (follow) =>
    follow
      ? openFollow(follow, signal)
      : send("POST", "/api/chat/stream", { body: input, headers: { "Idempotency-Key": key }, signal }),
  );
}

/** Tells of a reply that is being made, or is complete, to the end. */
export async function follow(messageId: string, listener: Listener, signal: AbortSignal): Promise<void> {
  await read(listener, signal, (position) => openFollow(position ?? { messageId, lastEvent: "" }, signal));
}

interface Position {
  messageId: string;
  lastEvent: string;
}

function openFollow({ messageId, lastEvent }: Position, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = lastEvent ? { "Last-Event-ID": lastEvent } : {};
  return send("GET", `/api/chat/stream/${encodeURIComponent(messageId)}`, { headers, signal });
}

async function read(listener: Listener, signal: AbortSignal, open: (position?: Position) => Promise<Response>): Promise<void> {
  let position: Position | undefined;
  for (let failures = 0; ; failures++) {
    let wanted = 0;
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
      const mayPass = !(error instanceof ApiError) || error.code === code.offline || (position !== undefined && error.passing);
      if (!mayPass || failures >= 8) throw error;
      if (error instanceof ApiError) wanted = error.retryAfter * 1000;
    }
    await sleep(Math.max(pause(failures), wanted), signal);
  }
}

function parse(raw: ServerEvent): ReplyEvent {
  return { name: raw.name, data: JSON.parse(raw.data) } as ReplyEvent;
}

/** The attempt is the first part of an event's id. */
function attemptOf(id: string): number {
  return Number.parseInt(id, 10) || 0;
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
