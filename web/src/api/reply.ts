import { ApiError, type ReplyEvent as StreamEvent, type ReplyStream } from "@parley/client";
import { client } from "./call";
import type { SendInput } from "./types";

/** An event of a reply stream, or the error that ended it. */
export type ReplyEvent = StreamEvent | { name: "error"; data: { error: number; message: string } };

export type Listener = (event: ReplyEvent, attempt: number) => void;

/** Sends a message and passes the events of its reply to the listener until the end. Reconnects if necessary. */
export async function sendMessage(input: SendInput, listener: Listener, signal: AbortSignal): Promise<void> {
  const stream = client.stream(input, { signal });
  try {
    await read(stream, listener);
  } catch (error) {
    const lost = error instanceof ApiError && error.temporary;
    if (!lost || !stream.messageId || signal.aborted) throw error;
    await follow(stream.messageId, listener, signal, stream.lastEventId);
  }
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
    yield { name: "error", data: { error: error.code, message: error.message } };
  }
}

/** Returns the attempt, which is the first part of an event's id. */
export function attemptOf(id: string): number {
  return Number.parseInt(id, 10) || 0;
}
