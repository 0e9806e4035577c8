import { call, send } from "./call";
import type { Favorite, Login, Message, Model, Session, StoredFile, UserInfo } from "./types";

const session = (id: string) => `/api/chat/session/${encodeURIComponent(id)}`;

export const register = (email: string, password: string, nickname: string) =>
  call<{ user_id: number; token: string }>("POST", "/api/auth/register", { body: { email, password, nickname } });
export const logIn = (email: string, password: string) =>
  call<{ token: string; user: { id: number } }>("POST", "/api/auth/login", { body: { email, password } });
export const logOut = () => send("POST", "/api/auth/logout");

export const userInfo = () => call<UserInfo>("GET", "/api/user/info");
export const updateProfile = (nickname: string, avatar: string) =>
  call<UserInfo>("PATCH", "/api/user/info", { body: { nickname, avatar } });
export const changePassword = (old_password: string, new_password: string) =>
  send("POST", "/api/user/password", { body: { old_password, new_password } });
export const deleteAccount = (password: string) => send("DELETE", "/api/user", { body: { password } });
export const listLogins = () => call<{ tokens: Login[] }>("GET", "/api/user/tokens");
export const endLogin = (id: string) => send("DELETE", `/api/user/tokens/${encodeURIComponent(id)}`);

export const listModels = () => call<{ models: Model[] }>("GET", "/api/models");

export const createSession = () =>
  call<{ session_id: string; title: string }>("POST", "/api/chat/session", { body: {} });
export const listSessions = (page: number, page_size: number, keyword: string, signal?: AbortSignal) =>
  call<{ sessions: Session[]; total: number }>("GET", "/api/chat/sessions", {
    query: { page, page_size, keyword },
    signal,
  });
export const getSession = (id: string, signal?: AbortSignal) => call<Session>("GET", session(id), { signal });
export const renameSession = (id: string, title: string) => send("PATCH", session(id), { body: { title } });
export const deleteSession = (id: string, keepalive = false) => send("DELETE", session(id), { keepalive });
export const clearSession = (id: string) => send("POST", `${session(id)}/clear`);
export const exportSession = (id: string) => send("GET", `${session(id)}/export`, { query: { format: "markdown" } });
export const listMessages = (session_id: string, page: number, page_size: number, signal?: AbortSignal) =>
  call<{ messages: Message[]; total: number }>("GET", "/api/chat/messages", {
    query: { session_id, page, page_size },
    signal,
  });
export const stopReply = (messageId: string) => send("POST", `/api/chat/stream/${encodeURIComponent(messageId)}/stop`);

export const addFavorite = (message_id: string, session_id: string) =>
  send("POST", "/api/favorites/add", { body: { message_id, session_id } });
export const removeFavorite = (message_id: string) =>
  send("DELETE", "/api/favorites/remove", { query: { message_id } });
export const listFavorites = (page: number, page_size: number, keyword: string, signal?: AbortSignal) =>
  call<{ favorites: Favorite[]; total: number }>("GET", "/api/favorites/list", {
    query: { page, page_size, keyword },
    signal,
  });

export const listFiles = (sessionId: string) => call<{ files: StoredFile[] }>("GET", `${session(sessionId)}/files`);
export const downloadFile = (id: string) => send("GET", `/api/files/${encodeURIComponent(id)}`);
export const deleteFile = (id: string, keepalive = false) =>
  send("DELETE", `/api/files/${encodeURIComponent(id)}`, { keepalive });
