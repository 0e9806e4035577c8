/** A place in the client, parsed from the URL's hash. */
export type Place =
  | { page: "chat"; sessionId: string | null; messageNumber: number | null }
  | { page: "favorites" }
  | { page: "archived" }
  | { page: "settings"; section: string | null };

export function parse(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, id] = path.split("/");
  if (page === "favorites") return { page: "favorites" };
  if (page === "archived") return { page: "archived" };
  if (page === "settings") return { page: "settings", section: id || null };
  const number = Number(new URLSearchParams(query).get("message"));
  return { page: "chat", sessionId: page === "chat" && id ? id : null, messageNumber: number > 0 ? number : null };
}

export const chatHash = (sessionId: string, messageNumber?: number) =>
  `#/chat/${sessionId}${messageNumber ? `?message=${messageNumber}` : ""}`;

class Router {
  place: Place = $state.raw(parse(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.place = parse(location.hash)));
  }

  /** Changes the URL without adding an entry to the browser's history. */
  replace(hash: string): void {
    history.replaceState(null, "", hash);
    this.place = parse(hash);
  }

  go(hash: string): void {
    if (location.hash === hash) this.place = parse(hash);
    else location.hash = hash;
  }
}

export const router = new Router();
