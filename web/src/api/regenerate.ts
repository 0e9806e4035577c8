import { ApiError, call, send } from "./call";
import { follow, type Listener, sleep } from "./reply";
import { readEvents } from "./sse";
import type { ReplyOptions, SendOutput } from "./types";

/**
 * Makes a session's last reply anew and tells of it as it is made. The request itself
 * answers only at the end, or not at all where the reply takes long; so the reply is
 * followed beside it, from the moment that a new attempt shows.
 */
export async function regenerate(
  sessionId: string,
  messageId: string,
  options: ReplyOptions,
  listener: Listener,
  signal: AbortSignal,
): Promise<void> {
  const before = await currentAttempt(messageId, signal);
  let asked = true;
  const answer = call<SendOutput>("POST", `/api/chat/session/${sessionId}/regenerate`, { body: options, signal })
    .then((output) => listener({ name: "done", data: output }, before + 1))
    .catch((error: unknown) => {
      if (!isLate(error)) throw error;
    })
    .finally(() => (asked = false));

  const watch = (async () => {
    for (let begun = false; asked && !begun; ) {
      await follow(messageId, (event, attempt) => {
        if (attempt === before) return;
        begun = true;
        listener(event, attempt);
      }, signal);
      if (!begun) await sleep(80, signal);
    }
  })();
  await Promise.all([answer, watch]);
}

/** A reply over the time limit goes on being made: its events tell the rest. */
function isLate(error: unknown): boolean {
  return error instanceof ApiError && error.status === 504 && error.body !== undefined;
}

async function currentAttempt(messageId: string, signal: AbortSignal): Promise<number> {
  const response = await send("GET", `/api/chat/stream/${encodeURIComponent(messageId)}`, { signal });
  for await (const event of readEvents(response.body!)) return Number.parseInt(event.id, 10);
  return 0;
}
