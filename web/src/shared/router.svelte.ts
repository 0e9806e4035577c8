/** A chat, at one of its messages if there is a number. The words to mark in that message are `find`. */
export interface ChatPlace {
  page: "chat";
  sessionId: string | null;
  messageNumber: number | null;
  find?: string;
}

/** The text of a file, at one of its pages or at a passage. */
export interface FilePlace {
  page: "file";
  fileId: string;
  number: number;
  passage: FilePassage | null;
  /** The chat that it was opened from. */
  sessionId: string | null;
}

/** A passage of a file, by its text. If the file is gone, the text and the name are all that is left. */
export interface FilePassage {
  text: string;
  filename: string;
  /** Where it is in the file's text, in bytes. */
  offset?: number;
}

/** A section of the administration. */
export interface AdminPlace {
  page: "admin";
  section: string | null;
  /** The account that the audit log is about, or 0 for all. */
  userId: number;
}

/** A place in the client, parsed from the URL's hash. */
export type Place =
  | ChatPlace
  | FilePlace
  | AdminPlace
  | { page: "favorites" }
  | { page: "archived" }
  | { page: "search"; query: string }
  | { page: "settings"; section: string | null };

export function parse(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, id] = path.split("/");
  if (page === "favorites") return { page: "favorites" };
  if (page === "search") return { page, query };
  if (page === "archived") return { page: "archived" };
  if (page === "settings") return { page: "settings", section: id || null };
  const given = new URLSearchParams(query);
  if (page === "admin") return { page: "admin", section: id || null, userId: Number(given.get("user")) || 0 };
  if (page === "files" && id) return filePlace(id, given);
  const number = Number(given.get("message"));
  return {
    page: "chat",
    sessionId: page === "chat" && id ? id : null,
    messageNumber: number > 0 ? number : null,
    find: given.get("find") ?? undefined,
  };
}

function filePlace(fileId: string, given: URLSearchParams): FilePlace {
  const text = given.get("find");
  const offset = Number(given.get("at"));
  const passage = text
    ? { text, filename: given.get("name") ?? "", ...(offset > 0 && Number.isSafeInteger(offset) && { offset }) }
    : null;
  const number = Number(given.get("page"));
  return {
    page: "file",
    fileId,
    number: number > 0 && Number.isSafeInteger(number) ? number : 1,
    passage,
    sessionId: given.get("chat"),
  };
}

/** What a link to a file can tell. */
interface FileLink {
  number?: number;
  passage?: FilePassage | null;
  sessionId?: string | null;
}

export function fileHash(fileId: string, { number, passage, sessionId }: FileLink = {}): string {
  const query = new URLSearchParams();
  if (number && number > 1) query.set("page", String(number));
  if (passage?.offset) query.set("at", String(passage.offset));
  if (passage?.text) query.set("find", passage.text);
  if (passage?.text && passage.filename) query.set("name", passage.filename);
  if (sessionId) query.set("chat", sessionId);
  return `#/files/${encodeURIComponent(fileId)}${query.size > 0 ? `?${query}` : ""}`;
}

/** Returns the address of the audit log of an account. */
export const auditHash = (userId: number) => `#/admin/audit?user=${userId}`;

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
