import { ApiError, call, send } from "./call";
import { follow, type Listener, sleep } from "./reply";
import { readEvents } from "./sse";
import type { ReplyOptions, SendOutput } from "./types";

/**
 * Regenerates a session's last reply and passes its events to the listener. The response
 * comes only when the reply is complete, or is a timeout if that takes long. So the
 * reply's stream is polled until the new attempt starts, and followed from there.
 */
export async function regenerate(
  sessionId: string,
  messageId: string,
  options: ReplyOptions,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  const before = await currentAttempt(messageId, signal);
  let waiting = true;
  const request = call<SendOutput>("POST", `/api/chat/session/${sessionId}/regenerate`, { body: options, signal })
    .then((output) => listener({ name: "done", data: output }, before + 1))
    .catch((error: unknown) => {
      if (!isTimeout(error)) throw error;
    })
    .finally(() => (waiting = false));

  const watch = (async () => {
    for (let started = false; waiting && !started;) {
      await follow(
        messageId,
        (event, attempt) => {
          if (attempt === before) return;
          started = true;
          listener(event, attempt);
        },
        signal,
      );
      if (!started) await sleep(80, signal);
    }
  })();
  await Promise.all([request, watch]);
}

/** Reports whether the request timed out while the reply is still being made. */
function isTimeout(error: unknown): boolean {
  return error instanceof ApiError && error.status === 504 && error.body !== undefined;
}

async function currentAttempt(messageId: string, signal: AbortSignal): Promise<number> {
  const response = await send("GET", `/api/chat/stream/${encodeURIComponent(messageId)}`, { signal });
  for await (const event of readEvents(response.body!)) return Number.parseInt(event.id, 10);
  return 0;
}
