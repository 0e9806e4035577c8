import type { AgedSessions, SendOutput } from "./types.js";

/** The codes of an ApiError. All but the last are error codes of the server. */
export const ErrorCode = {
  invalidParameter: 1001,
  noSuchUser: 1002,
  wrongPassword: 1003,
  emailTaken: 1004,
  badToken: 1005,
  tooManyAttempts: 1006,
  noSuchSession: 2001,
  sendFailed: 2002,
  uploadFailed: 2003,
  formatUnsupported: 2004,
  fileTooLarge: 2005,
  favoriteFailed: 3001,
  noSuchFavorite: 3002,
  internal: 5000,
  aiUnavailable: 5001,
  searchUnavailable: 5002,
  /** The server could not be reached, or the connection was lost. */
  offline: -1,
} as const;

/** A request that the server refused, or that did not reach it. */
export class ApiError extends Error {
  /** When to try again, by the clock of this machine, in milliseconds. */
  readonly retryAt: number;

  /**
   * @param code An ErrorCode, or a code of a newer server.
   * @param message The server's message, for people.
   * @param status The HTTP status, or 0 if there was no response.
   * @param body The body of the envelope, if any. See late and agedSessions.
   * @param retryAfter The seconds to wait before a retry, or 0 if the server sent none.
   */
  constructor(
    readonly code: number,
    message: string,
    readonly status = 0,
    readonly body?: unknown,
    readonly retryAfter = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ApiError";
    this.retryAt = Date.now() + retryAfter * 1000;
  }

  /**
   * Why the model did not reply, such as "quota" or "too_long", if the server says it. "totp" is a login that needs a
   * code of the second factor, or a right one.
   */
  get reason(): string | undefined {
    return (this.body as { reason?: string } | undefined)?.reason;
  }

  /** Whether the same request may succeed later. */
  get temporary(): boolean {
    return this.code === ErrorCode.offline || [429, 502, 503, 504].includes(this.status);
  }

  /**
   * The ids and the text so far of a reply that takes longer than the server's time limit; otherwise undefined.
   * The server continues the reply: use follow or messages to get it.
   */
  get late(): SendOutput | undefined {
    if (this.code !== ErrorCode.aiUnavailable || this.status !== 504) return undefined;
    return this.body as SendOutput | undefined;
  }

  /** What a change of the retention would delete if it is confirmed; otherwise undefined. */
  get agedSessions(): AgedSessions | undefined {
    if (this.code !== ErrorCode.sendFailed || this.status !== 409) return undefined;
    return this.body as AgedSessions | undefined;
  }
}

/** The error for a response without Parley's form, such as one of a proxy. */
export function unexpectedResponse(status: number, reason: string): ApiError {
  return new ApiError(ErrorCode.internal, `not a response of Parley's API: ${reason}`, status);
}

/** The error for a connection that failed. */
export function connectionError(cause: unknown): ApiError {
  return new ApiError(ErrorCode.offline, "the server can't be reached", 0, undefined, 0, { cause });
}

/** Converts an error response to an ApiError. A proxy may have sent it without the envelope. */
export function toError(status: number, text: string, retryAfter: string | null): ApiError {
  let envelope: { error?: number; message?: string; body?: unknown } = {};
  try {
    envelope = (JSON.parse(text) as typeof envelope | null) ?? {};
  } catch {
    // Not an envelope: use the status.
  }
  const code = envelope.error ?? (status === 429 ? ErrorCode.tooManyAttempts : ErrorCode.internal);
  return new ApiError(code, envelope.message ?? `HTTP ${status}`, status, envelope.body, parseRetryAfter(retryAfter));
}

/** Returns the seconds to wait. The header holds a number of seconds or a date. */
function parseRetryAfter(header: string | null): number {
  const seconds = /^\d+$/.test(header ?? "") ? Number(header) : (Date.parse(header ?? "") - Date.now()) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : 0;
}
