import { ApiError, ErrorCode } from "./error.js";

/** How often a lost connection is tried again in a row, unless the caller sets it. That takes about 36 seconds. */
export const defaultRetries = 8;

/** Returns the milliseconds to wait before reconnecting, after a number of failures in a row. */
export function retryDelay(failures: number): number {
  return Math.min(10_000, 250 * 2 ** failures);
}

/** Waits before a retry: longer after each failure, and at least as long as the server asked for. */
export function waitToRetry(failures: number, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  const retryAfter = error instanceof ApiError ? error.retryAfter * 1000 : 0;
  return sleep(Math.max(retryDelay(failures), retryAfter), signal, retryAfter === 0);
}

/** Runs a request again if its connection fails. The request must be safe to repeat. */
export async function retry<T>(
  retries: number | undefined,
  signal: AbortSignal | undefined,
  request: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await request();
    } catch (error) {
      if (!isOffline(error) || failures >= (retries ?? defaultRetries)) throw error;
      await waitToRetry(failures, error, signal);
    }
  }
}

export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.code === ErrorCode.offline;
}

/** Waits. With untilOnline it ends early when the browser gets its network back. */
export function sleep(milliseconds: number, signal?: AbortSignal, untilOnline = false): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      page?.removeEventListener("online", end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const page = untilOnline && typeof window !== "undefined" ? window : undefined;
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
    page?.addEventListener("online", end);
    if (signal?.aborted) end();
  });
}
