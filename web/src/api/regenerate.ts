import { ApiError, client } from "./call";
import { attemptOf, follow, type Listener } from "./reply";
import type { ReplyOptions } from "./types";

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
  const request = client
    .regenerate(sessionId, options, { signal })
    .then((output) => listener({ name: "done", id: "", data: output }, before + 1))
    .catch((error: unknown) => {
      if (!(error instanceof ApiError && error.late)) throw error;
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

async function currentAttempt(messageId: string, signal: AbortSignal): Promise<number> {
  for await (const event of client.follow(messageId, { signal })) return attemptOf(event.id);
  return 0;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
