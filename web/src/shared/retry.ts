import { ApiError } from "../api/call";

/** Errors that the same request always gets: a bad input, a session that is gone, a file that can't be read. */
const final = [1001, 2001, 2003, 2004, 2005];

/** Reports whether a failed request may succeed if it is repeated. */
export function canRetry(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.status >= 500 || !final.includes(error.code);
}

/** Reports whether a file was too large, by itself or for the room that is left. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.code === 2005;
}
