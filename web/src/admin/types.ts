import type { Account } from "@parley/client";

export type {
  AuditEntry,
  AuditQuery,
  Overview,
  SettingsOutput as ServerSettings,
  TotalUsageSum as TotalUsage,
} from "@parley/client";

/** An account as administrators see it. */
export type AdminUser = Account & { totp?: boolean };

export type SettingName = "registration" | "sharing" | "quota" | "retention" | "instructions";
