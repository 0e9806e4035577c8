import { ApiError, type ReplyEvent as StreamEvent, type ReplyStream } from "@parley/client";
import { client, code } from "./call";
import type { ReplyOptions, StreamInput } from "./types";

/** An event of a reply stream, or the error that ended it. */
export type ReplyEvent = StreamEvent | { name: "error"; data: { error: number; message: string; reason?: string } };

export type Listener = (event: ReplyEvent, attempt: number) => void;

/** Sends a message and passes the events of its reply to the listener until the end. Reconnects if necessary. */
export function sendMessage(input: StreamInput, listener: Listener, signal: AbortSignal): Promise<void> {
  return stream(input, "", listener, signal);
}

/**
 * Continues a session's last reply and passes its new events to the listener until the end. If the request is lost, it
 * is not known whether the server has begun, so the whole reply is read again.
 */
export function continueReply(
  sessionId: string,
  messageId: string,
  options: ReplyOptions,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  return stream({ session_id: sessionId, continue: true, ...options }, messageId, listener, signal);
}

async function stream(input: StreamInput, messageId: string, listener: Listener, signal: AbortSignal): Promise<void> {
  const reply = client.stream(input, { signal });
  try {
    await read(reply, listener);
  } catch (error) {
    const begun = reply.messageId || messageId;
    if (!begun || signal.aborted || !isLost(error, reply)) throw error;
    await follow(begun, listener, signal, reply.lastEventId);
  }
}

/** Reports whether the connection was lost. Before the reply has started, a refusal is final. */
function isLost(error: unknown, reply: ReplyStream): boolean {
  return error instanceof ApiError && (reply.messageId ? error.temporary : error.code === code.offline);
}

/**
 * Passes the events of a pending or complete reply to the listener until the end. The server continues the reply
 * while it can't be reached, so this does not give up.
 */
export async function follow(
  messageId: string,
  listener: Listener,
  signal: AbortSignal,
  lastEventId?: string,
): Promise<void> {
  await read(client.follow(messageId, { signal, lastEventId, retries: Infinity }), listener);
}

async function read(stream: ReplyStream, listener: Listener): Promise<void> {
  for await (const event of withError(stream)) listener(event, attemptOf(stream.lastEventId));
}

/** Adds an event for an error that the server sent in the stream. */
async function* withError(stream: ReplyStream): AsyncGenerator<ReplyEvent> {
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 200) throw error;
    yield { name: "error", data: { error: error.code, message: error.message, reason: error.reason } };
  }
}

/** Returns the attempt, which is the first part of an event's id. */
export function attemptOf(id: string): number {
  return Number.parseInt(id, 10) || 0;
}

/** Reports whether an event's id is the beginning of a reply: no thinking and no text came before its end. */
export function isBeginning(id: string): boolean {
  const [, thinking = "0", text = "0"] = id.split(".");
  return Number(thinking) + Number(text) === 0;
}
