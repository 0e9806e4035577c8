import type { Failure } from "./types";

/** Codes of the contract that the client treats in a way of their own. */
export const code = {
  invalid: 1001,
  badToken: 1005,
  tooMany: 1006,
  noSuchSession: 2001,
  internal: 5000,
  aiUnavailable: 5001,
  /** Ours: the server could not be reached. */
  offline: -1,
} as const;

/** What the server, or the way to it, has against a request. */
export class ApiError extends Error {
  /** When the server wants to be asked again, by the clock of this machine. */
  readonly retryAt: number;

  /** retryAfter is how many seconds the server asks to wait, 0 where it doesn't say. */
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

  /** Whether the same request may well succeed a little later. */
  get passing(): boolean {
    return this.code === code.offline || [429, 502, 503, 504].includes(this.status);
  }
}

type Query = Record<string, string | number | undefined>;

export interface CallOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
}

let token: string | null = null;
let onBadToken: () => void = () => {};

/** Sets the token that requests carry, and what to do once the server refuses it. */
export function authorize(newToken: string | null, refused: () => void): void {
  token = newToken;
  onBadToken = refused;
}

export function authorization(): Record<string, string> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Sends a request; an answer that is an error is thrown. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { ...authorization(), ...options.headers };
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

/** The error in an answer, which a proxy may have put there in a form of its own. */
export function toError(status: number, text: string, retryAfter: string | null): ApiError {
  let failure: Partial<Failure> = {};
  try {
    failure = JSON.parse(text) as Partial<Failure>;
  } catch {
    // Not an envelope: the status has to do.
  }
  const meant = failure.error ?? (status === 429 ? code.tooMany : code.internal);
  const error = new ApiError(meant, failure.message ?? `HTTP ${status}`, status, failure.body, parseRetryAfter(retryAfter));
  if (error.code === code.badToken) onBadToken();
  return error;
}

/** The seconds that a Retry-After header asks to wait; it holds them, or a date. */
function parseRetryAfter(header: string | null): number {
  const seconds = /^\d+$/.test(header ?? "") ? Number(header) : (Date.parse(header ?? "") - Date.now()) / 1000;
  return seconds > 0 ? Math.ceil(seconds) : 0;
}

function encodeQuery(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const encoded = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return encoded && `?${encoded}`;
}
