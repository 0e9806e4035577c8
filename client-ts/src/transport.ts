import { ApiError, connectionError, ErrorCode, toError, unexpectedResponse } from "./error.js";
import type { Fetch } from "./xhr.js";

export interface ClientOptions {
  /** A token from an earlier login. */
  token?: string | null | undefined;
  /** Called with the token in use when the server refuses it: it has expired or was ended. */
  onTokenRefused?: ((token: string) => void) | undefined;
  /** Headers of all requests, such as Accept-Language, or a function that returns those of the next request. */
  headers?: Record<string, string> | (() => Record<string, string>) | undefined;
  /** Called after each request with whether it got a response, of whatever status. Aborted requests are left out. */
  onConnection?: ((connected: boolean) => void) | undefined;
  /** Sends the requests instead of the global fetch. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Whether the request continues after the page is closed. */
  keepalive?: boolean | undefined;
}

export type QueryValues = Record<string, string | number | boolean | undefined>;

export interface RequestOptions extends CallOptions {
  /** The values of the query. Undefined and empty ones are left out. */
  query?: QueryValues | undefined;
  /** The body: a value to send as JSON, or a body that fetch sends as it is. */
  body?: unknown;
}

/** What the client itself sends. */
export interface SendRequestOptions extends RequestOptions {
  /** Sends this request instead of the fetch of the client. */
  fetch?: Fetch | undefined;
}

/** Sends requests to one server with one token. */
export class Transport {
  readonly base: string;
  readonly options: ClientOptions;
  token: string | null;

  constructor(baseUrl: string, options: ClientOptions) {
    this.base = normalizeBase(baseUrl);
    this.options = options;
    this.token = options.token ?? null;
  }

  url(path: string, query?: QueryValues): string {
    return this.base + path + encodeQuery(query);
  }

  headers(more: Record<string, string> = {}): Headers {
    const { headers: common } = this.options;
    const headers = new Headers({ ...(typeof common === "function" ? common() : common), ...more });
    if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
    return headers;
  }

  /** Sends a request. Throws an ApiError unless the response is a success. */
  async send(method: string, path: string, options: SendRequestOptions = {}): Promise<Response> {
    const { signal } = options;
    const { token } = this;
    const headers = this.headers(options.headers);
    const request: RequestInit & { duplex?: "half" } = { method, headers };
    if (signal) request.signal = signal;
    if (options.keepalive) request.keepalive = true;
    if (options.body instanceof FormData) request.body = options.body;
    else if (options.body instanceof ReadableStream) Object.assign(request, { body: options.body, duplex: "half" });
    else if (options.body !== undefined) {
      headers.set("Content-Type", "application/json");
      request.body = JSON.stringify(options.body);
    }
    const url = this.url(path, options.query);
    const response = await this.#connect(signal, () => (options.fetch ?? this.options.fetch ?? fetch)(url, request));
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    throw this.refused(toError(response.status, text, response.headers.get("Retry-After")), token);
  }

  async #connect(signal: AbortSignal | undefined, step: () => Promise<Response>): Promise<Response> {
    try {
      const response = await reach(signal, step);
      this.options.onConnection?.(true);
      return response;
    } catch (error) {
      if (!signal?.aborted) this.options.onConnection?.(false);
      throw error;
    }
  }

  /** Sends a request and returns the body of the envelope. */
  async call<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.send(method, path, options);
    return readEnvelope(response.status, await reach(options.signal, () => response.text())) as T;
  }

  /** Reports a refused token and returns the error. */
  refused(error: ApiError, token: string | null): ApiError {
    if (error.code === ErrorCode.badToken && token && token === this.token) this.options.onTokenRefused?.(token);
    return error;
  }
}

/** Returns the body of an envelope. */
export function readEnvelope(status: number, text: string): unknown {
  let envelope: { error?: number; body?: unknown } | null;
  try {
    envelope = JSON.parse(text) as typeof envelope;
  } catch {
    throw unexpectedResponse(status, "no envelope");
  }
  if (envelope?.error !== 0) throw unexpectedResponse(status, "no envelope");
  return envelope.body;
}

/** Runs a step of a request. A failure is an ApiError, or the reason of the signal. */
export async function reach<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw connectionError(error);
  }
}

/** Checks the URL of the server and removes slashes at its end. The empty one is the server of the page. */
function normalizeBase(baseUrl: string): string {
  if (baseUrl === "" && typeof location !== "undefined") return "";
  return new URL(baseUrl).href.replace(/\/+$/, "");
}

function encodeQuery(query: QueryValues = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const encoded = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return encoded && `?${encoded}`;
}
