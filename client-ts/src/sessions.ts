import { Administration } from "./administration.js";
import { path, sessionPath } from "./caller.js";
import type { Download } from "./download.js";
import type { CallOptions } from "./transport.js";
import type * as wire from "./types.js";

/** Sessions with their messages, and shares of them. */
export abstract class Sessions extends Administration {
  /** Creates a session. Without a title it gets one from its first message. */
  createSession(input: wire.CreateSessionInput = {}, options?: CallOptions): Promise<wire.CreateSessionOutput> {
    return this.post("/api/chat/session", input, options);
  }

  /**
   * Lists a page of the sessions that are not archived, latest activity first. With a keyword, those whose title or
   * messages contain it, archived or not. With pinned or archived, only those that are.
   */
  sessions(query?: wire.SessionsQuery, options?: CallOptions): Promise<wire.SessionsOutput> {
    return this.get("/api/chat/sessions", { ...options, query });
  }

  /** Lists a page of the titles, messages and files that contain a text, newest first, with the place of the match. */
  search(query: wire.SearchQuery, options?: CallOptions): Promise<wire.SearchOutput> {
    return this.get("/api/search", { ...options, query });
  }

  /** Returns one session. */
  session(sessionId: string, options?: CallOptions): Promise<wire.Session> {
    return this.get(sessionPath(sessionId), options);
  }

  /** Changes the given fields of a session. */
  updateSession(sessionId: string, input: wire.UpdateSessionInput, options?: CallOptions): Promise<void> {
    return this.call("PATCH", sessionPath(sessionId), { ...options, body: input });
  }

  /** Deletes the messages of a session and keeps the session. */
  clearSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.post(`${sessionPath(sessionId)}/clear`, undefined, options);
  }

  /** Deletes a session with its messages, favorites and files. */
  deleteSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.call("DELETE", sessionPath(sessionId), options);
  }

  /** Lists a page of a session's messages, oldest first. */
  messages(sessionId: string, query?: wire.MessagesQuery, options?: CallOptions): Promise<wire.MessagesOutput> {
    return this.get("/api/chat/messages", { ...options, query: { session_id: sessionId, ...query } });
  }

  /** Returns a session with all its messages. */
  export(sessionId: string, options?: CallOptions): Promise<wire.Export> {
    return this.get(`${sessionPath(sessionId)}/export`, { ...options, query: { format: "json" } });
  }

  /** Opens a session as a Markdown document of any length. */
  exportMarkdown(sessionId: string, options?: CallOptions): Promise<Download> {
    return this.open(`${sessionPath(sessionId)}/export`, { ...options, query: { format: "markdown" } });
  }

  /** Opens a session as one HTML page of any length, which needs nothing else. */
  exportHtml(sessionId: string, options?: CallOptions): Promise<Download> {
    return this.open(`${sessionPath(sessionId)}/export`, { ...options, query: { format: "html" } });
  }

  /** Makes a snapshot of a session that anyone with its link can read. */
  share(sessionId: string, input: wire.ShareInput = {}, options?: CallOptions): Promise<wire.ShareOutput> {
    return this.post(`${sessionPath(sessionId)}/share`, input, options);
  }

  /** Lists the shares that have not ended, newest first. */
  shares(options?: CallOptions): Promise<wire.SharesOutput> {
    return this.get("/api/shares", options);
  }

  /** Withdraws a share. */
  deleteShare(shareId: string, options?: CallOptions): Promise<void> {
    return this.call("DELETE", path`/api/shares/${shareId}`, options);
  }

  /** Returns a shared session. It needs no token. */
  readShare(shareId: string, options?: CallOptions): Promise<wire.SharedSession> {
    return this.get(path`/api/share/${shareId}`, options);
  }
}
