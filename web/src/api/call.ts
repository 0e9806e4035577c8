import { ApiError, Client, ErrorCode as code, type RequestOptions } from "@parley/client";

export { ApiError, code };

let onBadToken: () => void = () => {};
let onConnection: (connected: boolean) => void = () => {};
let language: (() => string) | null = null;

/** The client of this page's server, with the token of the current login. */
export const client = new Client("", {
  onTokenRefused: () => onBadToken(),
  onConnection: (connected) => onConnection(connected),
  headers: (): Record<string, string> => (language ? { "Accept-Language": language() } : {}),
});

/** Sets the token of all requests, and the function that is called if the server refuses it. */
export function authorize(token: string | null, refused: () => void): void {
  client.token = token;
  onBadToken = refused;
}

/** Sets the function that is called after each request with whether it got a response. */
export function watchConnection(listener: (connected: boolean) => void): void {
  onConnection = listener;
}

/** Sets the function that returns the language of the server's messages. The default is that of the browser. */
export function acceptLanguage(current: () => string): void {
  language = current;
}

/** Sends a request. Throws an ApiError unless the response is a success. */
export function send(method: string, path: string, options?: RequestOptions): Promise<Response> {
  return client.request(method, path, options);
}
