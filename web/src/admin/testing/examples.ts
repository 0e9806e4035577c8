import type { AdminUser, AuditEntry, Overview, ServerSettings } from "../types";

/** An account that has done nothing special. */
export const user = (user_id: number, email: string, change: Partial<AdminUser> = {}): AdminUser => ({
  user_id,
  email,
  nickname: "",
  admin: false,
  disabled: false,
  invited: false,
  created_at: 1_767_225_600,
  last_seen_at: 0,
  sessions: 3,
  storage: 2_500_000,
  quota: "",
  totp: false,
  usage: { messages: 2, input_tokens: 1000, output_tokens: 500, cost: 0 },
  ...change,
});

/** A server on which everything works. */
export const overview = (change: Partial<Overview> = {}): Overview => ({
  version: "0.1.0",
  started_at: 1_767_225_600,
  users: 12,
  administrators: 1,
  registration: true,
  sharing: true,
  public_url: "",
  replicas: [{ id: "a1", lease_until: 4_000_000_000, self: true }],
  database: { kind: "sqlite", version: "SQLite 3.50", size: 5_000_000 },
  files: { kind: "folder", used: 10_000_000, free: 50_000_000_000 },
  models: [{ name: "default", model: "qwen3", reachable: true }],
  search: { provider: "searxng", reachable: true },
  ocr: { available: true, languages: ["eng"] },
  smtp: true,
  oidc: "Example",
  queues: { index: 0, replies: 0, imports: 0 },
  errors: [],
  ...change,
});

export const settings = (change: Partial<ServerSettings> = {}): ServerSettings => ({
  registration: true,
  sharing: true,
  quota: "none",
  retention: "",
  instructions: "",
  fixed: [],
  ...change,
});

export const entry = (id: string, change: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: 1_767_225_600,
  event: "login",
  user_id: 1,
  ...change,
});
