import { client } from "./call";
import type { FileTextQuery, Scope, SessionFilter, UpdateSessionInput } from "./types";

export const register = (email: string, password: string, nickname: string) =>
  client.register({ email, password, nickname });
export const registrationStatus = () => client.registrationStatus();
export const logIn = (email: string, password: string, code: string) =>
  client.login(code ? { email, password, code } : { email, password });
/** Without the token in use, which a refusal would end. */
export const signIn = (code: string, password: string, totp: string) =>
  client.withToken(null).signIn({ code, ...(password && { password, totp }) });
export const logOut = () => client.logout();

export const userInfo = () => client.user();
export const updateProfile = (nickname: string) => client.updateProfile({ nickname });
export const updateInstructions = (instructions: string) => client.updateProfile({ instructions });
export const changePassword = (old_password: string, new_password: string) =>
  client.changePassword({ old_password, new_password });
export const deleteAccount = (password: string) => client.deleteUser(password ? { password } : {});
/** An account without a password sends none. */
export const setUpSecondFactor = (password: string, code: string) =>
  client.setUpSecondFactor({ ...(password && { password }), code });
export const confirmSecondFactor = (code: string) => client.confirmSecondFactor({ code });
export const removeSecondFactor = (password: string) => client.removeSecondFactor({ ...(password && { password }) });
export const resetStatus = () => client.resetStatus();
export const requestReset = (email: string) => client.requestReset({ email });
export const checkReset = (code: string) => client.withToken(null).checkReset({ code });
/** It has no token, so that a link that is refused does not end the login of this browser. */
export const confirmReset = (code: string, password: string) => client.withToken(null).confirmReset({ code, password });
export const exportAccount = () => client.exportAccount();
export const listLogins = () => client.tokens();
export const endLogin = (id: string) => client.endToken(id);
export const createKey = (name: string, scopes: Scope[], expires_in: number) =>
  client.createKey({ name, scopes, expires_in });
export const listKeys = () => client.keys();
export const deleteKey = (id: string) => client.deleteKey(id);
export const usage = (by: "day" | "model", from: number, to: number) => client.usage({ by, from, to });

export type ExportFormat = "markdown" | "html";

export const listModels = () => client.models();

export const createSession = (expires_in: number, temporary: boolean) =>
  client.createSession(temporary ? { temporary } : { expires_in });
export const listSessions = (
  page: number,
  page_size: number,
  keyword: string,
  signal?: AbortSignal,
  filter: SessionFilter = {},
) => client.sessions({ page, page_size, keyword, ...filter }, { signal });
export const search = (q: string, kind: "titles" | "messages" | "files", page_size: number, signal?: AbortSignal) =>
  client.search({ q, in: kind, page_size }, { signal });
export const searchSession = (q: string, session_id: string, page_size: number, signal?: AbortSignal) =>
  client.search({ q, in: "messages", session_id, page_size }, { signal });
export const getSession = (id: string, signal?: AbortSignal) => client.session(id, { signal });
export const updateSession = (id: string, change: UpdateSessionInput) => client.updateSession(id, change);
export const deleteSession = (id: string, keepalive = false) => client.deleteSession(id, { keepalive });
export const clearSession = (id: string) => client.clearSession(id);
export const forkSession = (id: string, message_id: string) => client.fork(id, { message_id });
export const exportSession = (id: string, format: ExportFormat) =>
  format === "html" ? client.exportHtml(id) : client.exportMarkdown(id);
export const shareSession = (id: string, expires_in: number, thinking: boolean) =>
  client.share(id, { expires_in, thinking });
export const listShares = () => client.shares();
export const deleteShare = (id: string) => client.deleteShare(id);
export const listMessages = (sessionId: string, page: number, page_size: number, signal?: AbortSignal) =>
  client.messages(sessionId, { page, page_size }, { signal });
export const showVersion = (messageId: string, version?: number) => client.showVersion(messageId, version);
export const stopReply = (messageId: string) => client.stop(messageId);

export const addFavorite = (message_id: string, session_id: string) => client.addFavorite({ message_id, session_id });
export const removeFavorite = (messageId: string) => client.removeFavorite(messageId);
export const listFavorites = (page: number, page_size: number, keyword: string, signal?: AbortSignal) =>
  client.favorites({ page, page_size, keyword }, { signal });

export const startImport = (file: File, onProgress: (part: number) => void, signal: AbortSignal) =>
  client.startImport(file, { onProgress, signal });
export const getImport = (id: string, signal?: AbortSignal) => client.import(id, { signal });

export const listFiles = (sessionId: string) => client.files(sessionId);
export const readFile = (id: string, query: FileTextQuery, signal?: AbortSignal) =>
  client.fileText(id, query, { signal });
export const downloadFile = (id: string, signal?: AbortSignal) => client.download(id, { signal });
export const showPicture = (id: string, size: "full" | "thumbnail", signal: AbortSignal) =>
  client.picture(id, size, { signal });
export const deleteFile = (id: string, session_id: string, keepalive = false) =>
  client.deleteFile(id, { session_id, keepalive });
