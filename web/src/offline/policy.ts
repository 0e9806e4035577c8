/** What the service worker does with a request. */
export type Handling =
  /** Leaves it to the browser, as without a worker. */
  | "pass"
  /** From the server, or the stored page if the server can't be reached. */
  | "page"
  /** From the server, or the stored copy if the server can't be reached. */
  | "network first"
  /** From the store: the name of the file changes with its content. */
  | "cache first";

/**
 * Decides by the address. Only files of the client are stored: they are the same for everybody. The API, documents and
 * all other paths pass, so nothing private is ever stored.
 */
export function handlingOf(request: { method: string; mode: string; url: string }, shell: readonly string[]): Handling {
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin || url.search) return "pass";
  if (request.mode === "navigate") return url.pathname === "/" ? "page" : "pass";
  if (url.pathname.startsWith("/assets/")) return "cache first";
  return shell.includes(url.pathname) ? "network first" : "pass";
}
