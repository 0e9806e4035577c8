import { Download } from "./download.js";
import { randomKey } from "./random.js";
import { retry } from "./retry.js";
import { type Open, ReplyStream, type StreamOptions } from "./stream.js";
import { type CallOptions, type ClientOptions, type RequestOptions, Transport } from "./transport.js";
import type * as wire from "./types.js";
import { type ImportOptions, type NamedBlob, upload, type UploadOptions } from "./upload.js";

export interface SendOptions extends StreamOptions {
  /**
   * A key of up to 128 characters that makes the message safe to send again: for 24 hours the same key with the same
   * input gives the same reply. The default is a random one.
   */
  idempotencyKey?: string | undefined;
}

export interface FollowOptions extends StreamOptions {
  /** The id of the last event that the caller has. Without it the stream starts at the beginning. */
  lastEventId?: string | undefined;
}

/**
 * A client of a Parley server as one user. Every method throws an ApiError if the server refuses the request or can't
 * be reached, and the reason of the signal if that is aborted.
 */
export class Client {
  readonly #transport: Transport;

  /**
   * @param baseUrl The address of the server, such as "http://127.0.0.1:8080". In a browser it may be empty: the
   * server of the page.
   */
  constructor(baseUrl: string, options: ClientOptions = {}) {
    this.#transport = new Transport(baseUrl, options);
  }

  /** The token in use: the one of the options or of the last login or register, or the one set here. */
  get token(): string | null {
    return this.#transport.token;
  }
  set token(token: string | null) {
    this.#transport.token = token;
  }

  /** Returns a client of the same server with another token, which may be null. */
  withToken(token: string | null): Client {
    return new Client(this.#transport.base, { ...this.#transport.options, token });
  }

  /** Sends any request, for operations that this client does not have. Returns the response if it is a success. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response> {
    return this.#transport.send(method, path, options);
  }

  // Accounts

  /** Creates an account. The client uses its token from now on. */
  async register(input: wire.RegisterInput, options?: CallOptions): Promise<wire.RegisterOutput> {
    const output = await this.#post<wire.RegisterOutput>("/api/auth/register", input, options);
    this.token = output.token;
    return output;
  }

  /** Issues a new token. The client uses it from now on. */
  async login(input: wire.LoginInput, options?: CallOptions): Promise<wire.LoginOutput> {
    const output = await this.#post<wire.LoginOutput>("/api/auth/login", input, options);
    this.token = output.token;
    return output;
  }

  /** Returns the provider of single sign-on. A server without one responds with HTTP 404. */
  signOn(options?: CallOptions): Promise<wire.SignOn> {
    return this.#get("/api/auth/oidc", options);
  }

  /** Issues a new token for the code that a browser brings from the provider. The client uses it from then on. */
  async signIn(input: wire.SignInInput, options?: CallOptions): Promise<wire.LoginOutput> {
    const output = await this.#post<wire.LoginOutput>("/api/auth/oidc/exchange", input, options);
    this.token = output.token;
    return output;
  }

  /** Ends the token in use. The client keeps it: the server refuses further calls until the next login. */
  logout(options?: CallOptions): Promise<void> {
    return this.#post("/api/auth/logout", undefined, options);
  }

  /** Returns the current account. */
  user(options?: CallOptions): Promise<wire.UserInfo> {
    return this.#get("/api/user/info", options);
  }

  /** Changes the given fields and returns the updated account. */
  updateProfile(input: wire.ProfileInput, options?: CallOptions): Promise<wire.UserInfo> {
    return this.#call("PATCH", "/api/user/info", { ...options, body: input });
  }

  /** Changes the password and ends every token but the one in use. Keys stay. */
  changePassword(input: wire.PasswordInput, options?: CallOptions): Promise<void> {
    return this.#post("/api/user/password", input, options);
  }

  /** Deletes the account and all it owns. */
  deleteUser(input: wire.DeleteUserInput, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", "/api/user", { ...options, body: input });
  }

  /**
   * Makes the secret of a new second factor. confirmSecondFactor turns it on. The password is needed, and if there is a
   * second factor already, one of its codes.
   */
  setUpSecondFactor(input: wire.SecondFactorInput = {}, options?: CallOptions): Promise<wire.SecondFactorOutput> {
    return this.#post("/api/user/totp", input, options);
  }

  /** Turns on the second factor that was set up. From now on a login needs a code. */
  confirmSecondFactor(input: wire.ConfirmSecondFactorInput, options?: CallOptions): Promise<wire.RecoveryCodesOutput> {
    return this.#post("/api/user/totp/confirm", input, options);
  }

  /** Turns the second factor off. The password is needed. */
  removeSecondFactor(input: wire.RemoveSecondFactorInput, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", "/api/user/totp", { ...options, body: input });
  }

  /** Returns whether people can register themselves. It needs no token. */
  registrationStatus(options?: CallOptions): Promise<wire.RegistrationStatus> {
    return this.#get("/api/auth/registration", options);
  }

  /** Returns how the server helps with forgotten passwords. It needs no token. */
  resetStatus(options?: CallOptions): Promise<wire.ResetStatus> {
    return this.#get("/api/auth/reset", options);
  }

  /** Asks for a mail with a link to set a new password. It needs no token. */
  requestReset(input: wire.ResetInput, options?: CallOptions): Promise<void> {
    return this.#post("/api/auth/reset", input, options);
  }

  /** Returns the account of a link to set a new password, or of an invitation. It needs no token. */
  checkReset(input: wire.CheckResetInput, options?: CallOptions): Promise<wire.CheckResetOutput> {
    return this.#post("/api/auth/reset/check", input, options);
  }

  /** Sets a new password by the code of a link and ends every token and key of the account. It needs no token. */
  confirmReset(input: wire.ConfirmResetInput, options?: CallOptions): Promise<void> {
    return this.#post("/api/auth/reset/confirm", input, options);
  }

  /** Opens a zip archive of all that the account owns. */
  exportAccount(options?: CallOptions): Promise<Download> {
    return this.#download("/api/user/export", options);
  }

  /** Returns the account's usage by day or by model, and its quota if it has one. */
  usage(query: wire.UsageQuery = {}, options?: CallOptions): Promise<wire.UsageOutput> {
    return this.#get("/api/user/usage", { ...options, query });
  }

  /** Returns the settings of the server that administrators can change. */
  settings(options?: CallOptions): Promise<wire.SettingsOutput> {
    return this.#get("/api/admin/settings", options);
  }

  /**
   * Changes the given settings and returns all of them. Those that are null go back to their defaults. A retention that
   * deletes sessions is refused until it is confirmed. See ApiError.agedSessions.
   */
  updateSettings(input: wire.SettingsInput, options?: CallOptions): Promise<wire.SettingsOutput> {
    return this.#call("PATCH", "/api/admin/settings", { ...options, body: input });
  }

  /** Returns all models on offer with their servers, for administrators. */
  connectedModels(options?: CallOptions): Promise<wire.ModelConnections> {
    return this.#get("/api/admin/models", options);
  }

  /** Tries a model server, and a model of it if one is named. */
  testModel(input: wire.ModelTestInput, options?: CallOptions): Promise<wire.ModelTestOutput> {
    return this.#call("POST", "/api/admin/models/test", { ...options, body: input });
  }

  /** Connects a model: default, basic, enhanced, or one with a name of its own. */
  connectModel(name: string, input: wire.ModelInput, options?: CallOptions): Promise<wire.ModelConnections> {
    return this.#call("PUT", path`/api/admin/models/${name}`, { ...options, body: input });
  }

  /** Removes a connected model. */
  disconnectModel(name: string, options?: CallOptions): Promise<wire.ModelConnections> {
    return this.#call("DELETE", path`/api/admin/models/${name}`, options);
  }

  /** Returns the web-search service, for administrators. */
  searchService(options?: CallOptions): Promise<wire.SearchService> {
    return this.#get("/api/admin/search", options);
  }

  /** Tries a web-search service. */
  testSearchService(input: wire.SearchServiceInput, options?: CallOptions): Promise<wire.SearchTestOutput> {
    return this.#call("POST", "/api/admin/search/test", { ...options, body: input });
  }

  /** Connects a web-search service. */
  connectSearchService(input: wire.SearchServiceInput, options?: CallOptions): Promise<wire.SearchService> {
    return this.#call("PUT", "/api/admin/search", { ...options, body: input });
  }

  /** Removes the connected web-search service. */
  disconnectSearchService(options?: CallOptions): Promise<wire.SearchService> {
    return this.#call("DELETE", "/api/admin/search", options);
  }

  /** Returns the embeddings server, for administrators. */
  embeddingsServer(options?: CallOptions): Promise<wire.EmbeddingsServer> {
    return this.#get("/api/admin/embeddings", options);
  }

  /** Tries an embeddings server. */
  testEmbeddingsServer(input: wire.EmbeddingsInput, options?: CallOptions): Promise<wire.EmbeddingsTestOutput> {
    return this.#call("POST", "/api/admin/embeddings/test", { ...options, body: input });
  }

  /** Connects an embeddings server. */
  connectEmbeddingsServer(input: wire.EmbeddingsInput, options?: CallOptions): Promise<wire.EmbeddingsServer> {
    return this.#call("PUT", "/api/admin/embeddings", { ...options, body: input });
  }

  /** Removes the connected embeddings server. */
  disconnectEmbeddingsServer(options?: CallOptions): Promise<wire.EmbeddingsServer> {
    return this.#call("DELETE", "/api/admin/embeddings", options);
  }

  /** Lists the account's logins, newest first. */
  tokens(options?: CallOptions): Promise<wire.TokensOutput> {
    return this.#get("/api/user/tokens", options);
  }

  /** Ends one of the account's logins. */
  endToken(tokenId: string, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", path`/api/user/tokens/${tokenId}`, options);
  }

  /** Creates a key. The client goes on with its token: give the key to withToken. */
  createKey(input: wire.KeyInput, options?: CallOptions): Promise<wire.KeyOutput> {
    return this.#post("/api/user/keys", input, options);
  }

  /** Lists the account's keys, newest first. */
  keys(options?: CallOptions): Promise<wire.KeysOutput> {
    return this.#get("/api/user/keys", options);
  }

  /** Ends one of the account's keys. */
  deleteKey(keyId: string, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", path`/api/user/keys/${keyId}`, options);
  }

  // Administration, for administrators; claim is for the first one

  /** Makes the user the first administrator, by the code in the server's log. */
  claim(input: wire.ClaimInput, options?: CallOptions): Promise<wire.UserInfo> {
    return this.#post("/api/admin/claim", input, options);
  }

  /** Lists a page of the accounts, newest first. With a keyword, those whose address or nickname contains it. */
  users(query?: wire.UsersQuery, options?: CallOptions): Promise<wire.UsersOutput> {
    return this.#get("/api/admin/users", { ...options, query });
  }

  /** Sums up the usage of all users by day, by model or by user. */
  totalUsage(query: wire.TotalUsageQuery = {}, options?: CallOptions): Promise<wire.TotalUsageOutput> {
    return this.#get("/api/admin/usage", { ...options, query });
  }

  /** Lists entries of the audit log, newest first. */
  auditLog(query: wire.AuditQuery = {}, options?: CallOptions): Promise<wire.AuditOutput> {
    return this.#get("/api/admin/audit", { ...options, query });
  }

  /** Returns the state of the server. */
  overview(options?: CallOptions): Promise<wire.Overview> {
    return this.#get("/api/admin/overview", options);
  }

  /**
   * Creates an account without a password and returns a link to choose it. Whoever was invited before and has not chosen
   * one gets a new link.
   */
  addUser(input: wire.AddUserInput, options?: CallOptions): Promise<wire.AddUserOutput> {
    return this.#post("/api/admin/users", input, options);
  }

  /** Ends the logins and keys of an account and refuses new ones. */
  disableUser(userId: number, options?: CallOptions): Promise<void> {
    return this.#post(`${accountPath(userId)}/disable`, undefined, options);
  }

  /** Allows a disabled account to log in again. */
  enableUser(userId: number, options?: CallOptions): Promise<void> {
    return this.#post(`${accountPath(userId)}/enable`, undefined, options);
  }

  /** Gives an account of somebody else a new password and ends its logins and keys. */
  resetUserPassword(userId: number, options?: CallOptions): Promise<wire.ResetPasswordOutput> {
    return this.#post(`${accountPath(userId)}/reset-password`, undefined, options);
  }

  /** Sets what an account may use in a day. */
  setUserQuota(userId: number, input: wire.QuotaInput, options?: CallOptions): Promise<void> {
    return this.#post(`${accountPath(userId)}/quota`, input, options);
  }

  /** Makes an account an administrator. */
  promoteUser(userId: number, options?: CallOptions): Promise<void> {
    return this.#post(`${accountPath(userId)}/promote`, undefined, options);
  }

  /** Makes an administrator an ordinary user. */
  demoteUser(userId: number, options?: CallOptions): Promise<void> {
    return this.#post(`${accountPath(userId)}/demote`, undefined, options);
  }

  /** Deletes the account of another user and all it owns. */
  removeUser(userId: number, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", accountPath(userId), options);
  }

  // Sessions

  /** Creates a session. Without a title it gets one from its first message. */
  createSession(input: wire.CreateSessionInput = {}, options?: CallOptions): Promise<wire.CreateSessionOutput> {
    return this.#post("/api/chat/session", input, options);
  }

  /**
   * Lists a page of the sessions that are not archived, latest activity first. With a keyword, those whose title or
   * messages contain it, archived or not. With pinned or archived, only those that are.
   */
  sessions(query?: wire.SessionsQuery, options?: CallOptions): Promise<wire.SessionsOutput> {
    return this.#get("/api/chat/sessions", { ...options, query });
  }

  /** Lists a page of the titles, messages and files that contain a text, newest first, with the place of the match. */
  search(query: wire.SearchQuery, options?: CallOptions): Promise<wire.SearchOutput> {
    return this.#get("/api/search", { ...options, query });
  }

  /** Returns one session. */
  session(sessionId: string, options?: CallOptions): Promise<wire.Session> {
    return this.#get(sessionPath(sessionId), options);
  }

  /** Changes the given fields of a session. */
  updateSession(sessionId: string, input: wire.UpdateSessionInput, options?: CallOptions): Promise<void> {
    return this.#call("PATCH", sessionPath(sessionId), { ...options, body: input });
  }

  /** Deletes the messages of a session and keeps the session. */
  clearSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.#post(`${sessionPath(sessionId)}/clear`, undefined, options);
  }

  /** Copies a session up to a visible message to a new session. */
  fork(sessionId: string, input: wire.ForkInput, options?: CallOptions): Promise<wire.ForkOutput> {
    return this.#post(`${sessionPath(sessionId)}/fork`, input, options);
  }

  /** Deletes a session with its messages, favorites and files. */
  deleteSession(sessionId: string, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", sessionPath(sessionId), options);
  }

  /** Lists a page of a session's messages, oldest first. */
  messages(sessionId: string, query?: wire.MessagesQuery, options?: CallOptions): Promise<wire.MessagesOutput> {
    return this.#get("/api/chat/messages", { ...options, query: { session_id: sessionId, ...query } });
  }

  /** Returns a session with all its messages. */
  export(sessionId: string, options?: CallOptions): Promise<wire.Export> {
    return this.#get(`${sessionPath(sessionId)}/export`, { ...options, query: { format: "json" } });
  }

  /** Opens a session as a Markdown document of any length. */
  exportMarkdown(sessionId: string, options?: CallOptions): Promise<Download> {
    return this.#download(`${sessionPath(sessionId)}/export`, { ...options, query: { format: "markdown" } });
  }

  /** Opens a session as one HTML page of any length, which needs nothing else. */
  exportHtml(sessionId: string, options?: CallOptions): Promise<Download> {
    return this.#download(`${sessionPath(sessionId)}/export`, { ...options, query: { format: "html" } });
  }

  /** Makes a snapshot of a session that anyone with its link can read. */
  share(sessionId: string, input: wire.ShareInput = {}, options?: CallOptions): Promise<wire.ShareOutput> {
    return this.#post(`${sessionPath(sessionId)}/share`, input, options);
  }

  /** Lists the shares that have not ended, newest first. */
  shares(options?: CallOptions): Promise<wire.SharesOutput> {
    return this.#get("/api/shares", options);
  }

  /** Withdraws a share. */
  deleteShare(shareId: string, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", path`/api/shares/${shareId}`, options);
  }

  /** Returns a shared session. It needs no token. */
  readShare(shareId: string, options?: CallOptions): Promise<wire.SharedSession> {
    return this.#get(path`/api/share/${shareId}`, options);
  }

  /** Lists the available models, the default first. */
  models(options?: CallOptions): Promise<wire.ModelsOutput> {
    return this.#get("/api/models", options);
  }

  // Replies

  /**
   * Sends a message and waits for the reply. If the reply takes longer than the server's time limit, see
   * ApiError.late. If the connection fails, the message is sent again with the same key, and stored only once.
   */
  send(input: wire.SendInput, options: SendOptions = {}): Promise<wire.SendOutput> {
    const headers = keyHeader(options);
    return retry(options.retries, options.signal, () => this.#post("/api/chat/send", input, { ...options, headers }));
  }

  /**
   * Sends a message and streams the reply. With `continue` it continues the last reply instead and streams the new
   * text. That has no idempotency key, so it is not sent again if the connection fails before the first event.
   */
  stream(input: wire.StreamInput, options: SendOptions = {}): ReplyStream {
    const headers = input.continue ? options.headers : keyHeader(options);
    const open: Open = (position, signal) => {
      if (position.messageId) return this.#openStream(position, signal, options);
      return this.request("POST", "/api/chat/stream", { ...options, headers, signal, body: input });
    };
    return new ReplyStream(open, { ...options, sendsAgain: !input.continue });
  }

  /** Streams a reply that is being generated or is complete. */
  follow(messageId: string, options: FollowOptions = {}): ReplyStream {
    const open = (position: ReplyStream, signal: AbortSignal) => this.#openStream(position, signal, options);
    return new ReplyStream(open, options, messageId, options.lastEventId);
  }

  /** Stops a reply and keeps its text so far. A complete reply is left unchanged. */
  stop(messageId: string, options?: CallOptions): Promise<void> {
    return this.#post(path`/api/chat/stream/${messageId}/stop`, undefined, options);
  }

  /** Replaces the last reply of a session. The reply keeps its id. Its old text becomes another version of it. */
  regenerate(sessionId: string, input: wire.RegenerateInput = {}, options?: CallOptions): Promise<wire.SendOutput> {
    return this.#post(`${sessionPath(sessionId)}/regenerate`, input, options);
  }

  /** Continues the last reply of a session, which was stopped or interrupted. The reply keeps its id. */
  continueReply(sessionId: string, input: wire.RegenerateInput = {}, options?: CallOptions): Promise<wire.SendOutput> {
    return this.#post(`${sessionPath(sessionId)}/continue`, input, options);
  }

  /**
   * Shows a version of a message, from 1, and the messages that followed it. Without a version, it shows the message
   * with this id, which may be set aside.
   */
  showVersion(messageId: string, version?: number, options?: CallOptions): Promise<void> {
    return this.#post(path`/api/chat/message/${messageId}/version`, { version }, options);
  }

  /** Keeps what the user thinks of a reply. 0 takes it back. */
  rate(messageId: string, rating: wire.Rating, options?: CallOptions): Promise<void> {
    return this.#post(path`/api/chat/message/${messageId}/rating`, { rating }, options);
  }

  // Favorites

  /** Marks a message. Marking it again returns the same favorite. */
  addFavorite(input: wire.AddFavoriteInput, options?: CallOptions): Promise<wire.AddFavoriteOutput> {
    return this.#post("/api/favorites/add", input, options);
  }

  /** Removes a message from the favorites. */
  removeFavorite(messageId: string, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", "/api/favorites/remove", { ...options, query: { message_id: messageId } });
  }

  /** Lists a page of the favorites, newest first. With a keyword, those whose text contains it. */
  favorites(query?: wire.FavoritesQuery, options?: CallOptions): Promise<wire.FavoritesOutput> {
    return this.#get("/api/favorites/list", { ...options, query });
  }

  // Prompts

  /** Keeps a prompt. Blanks in its text are written {{name}}. */
  createPrompt(input: wire.PromptInput, options?: CallOptions): Promise<wire.PromptOutput> {
    return this.#post("/api/prompts", input, options);
  }

  /** Lists one's own prompts, newest first, and then those that administrators offer to all users. */
  prompts(options?: CallOptions): Promise<wire.PromptsOutput> {
    return this.#get("/api/prompts", options);
  }

  /** Changes the given fields of a prompt. */
  updatePrompt(promptId: string, input: wire.UpdatePromptInput, options?: CallOptions): Promise<void> {
    return this.#call("PATCH", path`/api/prompts/${promptId}`, { ...options, body: input });
  }

  /** Deletes a prompt. */
  deletePrompt(promptId: string, options?: CallOptions): Promise<void> {
    return this.#call("DELETE", path`/api/prompts/${promptId}`, options);
  }

  // Files

  /** Adds a document to a session. */
  upload(sessionId: string, file: NamedBlob, options: UploadOptions = {}): Promise<wire.StoredFile> {
    return upload(this.#transport, "/api/files/upload", { session_id: sessionId }, file, options);
  }

  /** Lists a session's files, oldest first. */
  files(sessionId: string, options?: CallOptions): Promise<wire.FilesOutput> {
    return this.#get(`${sessionPath(sessionId)}/files`, options);
  }

  /** Opens a file's bytes. */
  download(fileId: string, options?: CallOptions): Promise<Download> {
    return this.#download(filePath(fileId), options);
  }

  /** Opens a picture of a session without its metadata: at most 2,048 pixels wide and high, or 480 as a thumbnail. */
  picture(fileId: string, size: "full" | "thumbnail" = "full", options?: CallOptions): Promise<Download> {
    return this.#download(`${filePath(fileId)}/picture`, { ...options, query: { size } });
  }

  /** Returns a page of a file's text, as a model gets it: by its number, an offset, or a passage that it has. */
  fileText(fileId: string, query?: wire.FileTextQuery, options?: CallOptions): Promise<wire.FileText> {
    return this.#get(`${filePath(fileId)}/text`, { ...options, query });
  }

  /** Deletes a file, or with session_id removes it from that session: it goes if no other session has it. */
  deleteFile(fileId: string, options: CallOptions & { session_id?: string } = {}): Promise<void> {
    const { session_id, ...rest } = options;
    return this.#call("DELETE", filePath(fileId), { ...rest, query: { session_id } });
  }

  // Imports

  /** Imports conversations from an export of ChatGPT, Open WebUI, LibreChat or this service. */
  startImport(file: NamedBlob, options: ImportOptions = {}): Promise<wire.StartImportOutput> {
    return upload(this.#transport, "/api/import", {}, file, options);
  }

  /** Returns the progress of an import, or its result. */
  import(importId: string, options?: CallOptions): Promise<wire.Import> {
    return this.#get(`/api/import/${encodeURIComponent(importId)}`, options);
  }

  // The server

  /** Returns while the server is alive. */
  async health(options?: CallOptions): Promise<void> {
    await this.request("GET", "/healthz", options);
  }

  /** Returns while the server is ready for requests. */
  async ready(options?: CallOptions): Promise<void> {
    await this.request("GET", "/readyz", options);
  }

  #call<T>(method: string, url: string, options?: RequestOptions): Promise<T> {
    return this.#transport.call(method, url, options);
  }
  #get<T>(url: string, options?: RequestOptions): Promise<T> {
    return this.#call("GET", url, options);
  }
  #post<T>(url: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#call("POST", url, { ...options, body });
  }

  async #download(url: string, options?: RequestOptions): Promise<Download> {
    return new Download(await this.request("GET", url, options), options?.signal);
  }

  #openStream(position: ReplyStream, signal: AbortSignal, options: CallOptions): Promise<Response> {
    const headers = { ...options.headers };
    if (position.lastEventId) headers["Last-Event-ID"] = position.lastEventId;
    return this.request("GET", path`/api/chat/stream/${position.messageId}`, { ...options, headers, signal });
  }
}

function keyHeader({ headers, idempotencyKey = randomKey() }: SendOptions): Record<string, string> {
  return { ...headers, "Idempotency-Key": idempotencyKey };
}

/** Encodes the values of a path. */
function path(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

const sessionPath = (id: string) => path`/api/chat/session/${id}`;
const accountPath = (id: number) => `/api/admin/users/${id}`;
const filePath = (id: string) => path`/api/files/${id}`;
