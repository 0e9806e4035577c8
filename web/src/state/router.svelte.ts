/** A chat, at one of its messages if there is a number. The words to mark in that message are `find`. */
export interface ChatPlace {
  page: "chat";
  sessionId: string | null;
  messageNumber: number | null;
  find?: string;
}

/** A place in the client, parsed from the URL's hash. */
export type Place =
  ChatPlace | { page: "favorites" } | { page: "archived" } | { page: "settings"; section: string | null };

export function parse(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, id] = path.split("/");
  if (page === "favorites") return { page: "favorites" };
  if (page === "archived") return { page: "archived" };
  if (page === "settings") return { page: "settings", section: id || null };
  const given = new URLSearchParams(query);
  const number = Number(given.get("message"));
  return {
    page: "chat",
    sessionId: page === "chat" && id ? id : null,
    messageNumber: number > 0 ? number : null,
    find: given.get("find") ?? undefined,
  };
}

export function chatHash(sessionId: string, messageNumber?: number, find?: string): string {
  const query = new URLSearchParams();
  if (messageNumber) query.set("message", String(messageNumber));
  if (find) query.set("find", find);
  return `#/chat/${sessionId}${query.size > 0 ? `?${query}` : ""}`;
}

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
