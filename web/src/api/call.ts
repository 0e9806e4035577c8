import type { Failure } from "./types";

/** Error codes that the client handles specially. */
export const code = {
  invalid: 1001,
  badToken: 1005,
  tooMany: 1006,
  noSuchSession: 2001,
  internal: 5000,
  aiUnavailable: 5001,
  /** Not from the server: it could not be reached. */
  offline: -1,
} as const;

/** A failed request, refused by the server or lost on the way. */
export class ApiError extends Error {
  /** When to try again, by the clock of this machine. */
  readonly retryAt: number;

  /** retryAfter is the number of seconds to wait before a retry, or 0 if the server sent none. */
  constructor(
    readonly code: number,
    message: string,
    readonly status = 0,
    readonly body?: unknown,
    readonly retryAfter = 0,
  ) {
    super(message);
    this.name = "ApiError";
    this.retryAt = Date.now() + retryAfter * 1000;
  }

  /** Whether the same request may succeed later. */
  get temporary(): boolean {
    return this.code === code.offline || [429, 502, 503, 504].includes(this.status);
  }
}

type Query = Record<string, string | number | undefined>;

export interface CallOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Whether the request continues after the page is closed. */
  keepalive?: boolean;
}

let token: string | null = null;
let onBadToken: () => void = () => {};
let language: (() => string) | null = null;

/** Sets the token of all requests, and the function that is called if the server refuses it. */
export function authorize(newToken: string | null, refused: () => void): void {
  token = newToken;
  onBadToken = refused;
}

/** Sets the function that returns the language of the server's messages. The default is that of the browser. */
export function acceptLanguage(current: () => string): void {
  language = current;
}

/** Returns the headers of every request. */
export function commonHeaders(): Record<string, string> {
  return {
    ...(language && { "Accept-Language": language() }),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
}

/** Sends a request. Throws an ApiError unless the response is a success. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { ...commonHeaders(), ...options.headers };
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path + encodeQuery(options.query), {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
      keepalive: options.keepalive,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(code.offline, "the server can't be reached");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** Sends a request and returns the body of the envelope. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const envelope = (await response.json()) as { body: T };
  return envelope.body;
}

async function failureOf(response: Response): Promise<ApiError> {
  return toError(response.status, await response.text().catch(() => ""), response.headers.get("Retry-After"));
}

/** Converts an error response to an ApiError. A proxy may have sent it without the envelope. */
export function toError(status: number, text: string, retryAfter: string | null): ApiError {
  let failure: Partial<Failure> = {};
  try {
    failure = JSON.parse(text) as Partial<Failure>;
  } catch {
    // Not an envelope: use the status.
  }
  const errorCode = failure.error ?? (status === 429 ? code.tooMany : code.internal);
  const message = failure.message ?? `HTTP ${status}`;
  const error = new ApiError(errorCode, message, status, failure.body, parseRetryAfter(retryAfter));
  if (error.code === code.badToken) onBadToken();
  return error;
}

/** Returns the seconds to wait. The header holds a number of seconds or a date. */
function parseRetryAfter(header: string | null): number {
  const seconds = /^\d+$/.test(header ?? "") ? Number(header) : (Date.parse(header ?? "") - Date.now()) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : 0;
}

function encodeQuery(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const encoded = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return encoded && `?${encoded}`;
}
