import { send } from "../api/call";
import type { UserInfo } from "../api/types";
import type { AdminUsage, AdminUser, AuditEntry, AuditQuery, Overview, ServerSettings, SettingName } from "./types";

async function call<T>(method: string, path: string, options: Parameters<typeof send>[2] = {}): Promise<T> {
  const response = await send(method, `/api/admin${path}`, options);
  return ((await response.json()) as { body: T }).body;
}

const act = (id: number, action: string, body?: unknown) =>
  call<Record<string, never>>("POST", `/users/${id}/${action}`, { body });

export const claim = (code: string) => call<UserInfo>("POST", "/claim", { body: { code } });

export const listUsers = (keyword: string, page: number, signal?: AbortSignal) =>
  call<{ users: AdminUser[]; total: number }>("GET", "/users", { query: { keyword, page }, signal });
export const disableUser = (id: number) => act(id, "disable");
export const enableUser = (id: number) => act(id, "enable");
export const promoteUser = (id: number) => act(id, "promote");
export const demoteUser = (id: number) => act(id, "demote");
export const setQuota = (id: number, quota: string) => act(id, "quota", { quota });
export const resetPassword = (id: number) => call<{ password: string }>("POST", `/users/${id}/reset-password`);
export const deleteUser = (id: number) => call<Record<string, never>>("DELETE", `/users/${id}`);

export const usage = (by: "day" | "model" | "user", from: number, to: number) =>
  call<{ usage: AdminUsage[] }>("GET", "/usage", { query: { by, from, to } });

export const audit = (query: AuditQuery, signal?: AbortSignal) =>
  call<{ entries: AuditEntry[]; more: boolean }>("GET", "/audit", { query: { ...query }, signal });

export const overview = (signal?: AbortSignal) => call<Overview>("GET", "/overview", { signal });

export const settings = () => call<ServerSettings>("GET", "/settings");
/** Changes one setting. null goes back to its default. */
export const changeSetting = <N extends SettingName>(name: N, value: ServerSettings[N] | null) =>
  call<ServerSettings>("PATCH", "/settings", { body: { [name]: value } });
