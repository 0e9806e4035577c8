import { path, sessionPath } from "./caller.js";
import { randomKey } from "./random.js";
import { retry } from "./retry.js";
import { Sessions } from "./sessions.js";
import { type Open, ReplyStream, type StreamOptions } from "./stream.js";
import type { CallOptions } from "./transport.js";
import type * as wire from "./types.js";

export interface SendOptions extends StreamOptions {
  /**
   * A key of up to 128 characters that makes the message safe to send again: for 24 hours the same key with the same
   * input gives the same reply. The default is a random one.
   */
  idempotencyKey?: string | undefined;
}

export interface FollowOptions extends StreamOptions {
  /** The id of the last event that the caller has. Without it the stream starts at the beginning. */
  lastEventId?: string | undefined;
}

/** Messages to models, and their replies. */
export abstract class Replies extends Sessions {
  /** Lists the available models, the default first. */
  models(options?: CallOptions): Promise<wire.ModelsOutput> {
    return this.get("/api/models", options);
  }

  /**
   * Sends a message and waits for the reply. If the reply takes longer than the server's time limit, see
   * ApiError.late. If the connection fails, the message is sent again with the same key, and stored only once.
   */
  send(input: wire.SendInput, options: SendOptions = {}): Promise<wire.SendOutput> {
    const headers = keyHeader(options);
    return retry(options.retries, options.signal, () => this.post("/api/chat/send", input, { ...options, headers }));
  }

  /**
   * Sends a message and streams the reply. With `continue` it continues the last reply instead and streams the new
   * text. That has no idempotency key, so it is not sent again if the connection fails before the first event.
   */
  stream(input: wire.StreamInput, options: SendOptions = {}): ReplyStream {
    const headers = input.continue ? options.headers : keyHeader(options);
    const open: Open = (position, signal) => {
      if (position.messageId) return this.#openStream(position, signal, options);
      return this.request("POST", "/api/chat/stream", { ...options, headers, signal, body: input });
    };
    return new ReplyStream(open, { ...options, sendsAgain: !input.continue });
  }

  /** Streams a reply that is being generated or is complete. */
  follow(messageId: string, options: FollowOptions = {}): ReplyStream {
    const open = (position: ReplyStream, signal: AbortSignal) => this.#openStream(position, signal, options);
    return new ReplyStream(open, options, messageId, options.lastEventId);
  }

  /** Stops a reply and keeps its text so far. A complete reply is left unchanged. */
  stop(messageId: string, options?: CallOptions): Promise<void> {
    return this.post(path`/api/chat/stream/${messageId}/stop`, undefined, options);
  }

  /** Replaces the last reply of a session. The reply keeps its id. Its old text becomes another version of it. */
  regenerate(sessionId: string, input: wire.RegenerateInput = {}, options?: CallOptions): Promise<wire.SendOutput> {
    return this.post(`${sessionPath(sessionId)}/regenerate`, input, options);
  }

  /** Continues the last reply of a session, which was stopped or interrupted. The reply keeps its id. */
  continueReply(sessionId: string, input: wire.RegenerateInput = {}, options?: CallOptions): Promise<wire.SendOutput> {
    return this.post(`${sessionPath(sessionId)}/continue`, input, options);
  }

  /**
   * Shows a version of a message, from 1, and the messages that followed it. Without a version, it shows the message
   * with this id, which may be set aside.
   */
  showVersion(messageId: string, version?: number, options?: CallOptions): Promise<void> {
    return this.post(path`/api/chat/message/${messageId}/version`, { version }, options);
  }

  #openStream(position: ReplyStream, signal: AbortSignal, options: CallOptions): Promise<Response> {
    const headers = { ...options.headers };
    if (position.lastEventId) headers["Last-Event-ID"] = position.lastEventId;
    return this.request("GET", path`/api/chat/stream/${position.messageId}`, { ...options, headers, signal });
  }
}

function keyHeader({ headers, idempotencyKey = randomKey() }: SendOptions): Record<string, string> {
  return { ...headers, "Idempotency-Key": idempotencyKey };
}
