import type { Account } from "@parley/client";
import type { Used } from "../state/usage";

/** An account as administrators see it. */
export type AdminUser = Account & { totp?: boolean };

export interface AdminUsage extends Used {
  day?: string;
  model?: string;
  user_id?: number;
  email?: string;
}

export interface AuditEntry {
  id: string;
  at: number;
  event: string;
  user_id: number;
  actor_id?: number;
  address?: string;
  request_id?: string;
  code?: number;
  object?: string;
}

export interface AuditQuery {
  event?: string;
  user_id?: number;
  from?: number;
  to?: number;
  before?: string;
}

export interface ServerSettings {
  registration: boolean;
  sharing: boolean;
  quota: string;
  retention: string;
  instructions: string;
  fixed: string[];
}

export type SettingName = Exclude<keyof ServerSettings, "fixed">;

type Reason = "too_long" | "policy" | "quota" | "unknown_model" | "key" | "overloaded" | "unreachable" | "failed";

export interface Overview {
  version: string;
  started_at: number;
  users: number;
  administrators: number;
  registration: boolean;
  sharing: boolean;
  public_url: string;
  replicas: { id: string; lease_until: number; self: boolean }[];
  database: { kind: string; version: string; size: number };
  files: { kind: string; used: number; free: number };
  models: { name: string; model: string; reachable: boolean; reason?: Reason }[];
  search: { provider: string; reachable: boolean; reason?: Reason };
  ocr: { available: boolean; languages: string[] };
  smtp: boolean;
  oidc: string;
  queues: { index: number; replies: number; imports: number };
  errors: { code: number; count: number }[];
}
