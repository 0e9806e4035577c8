import type { Account, ModelTestOutput, SearchService } from "@parley/client";

export type {
  AuditEntry,
  AuditQuery,
  EmbeddingsInput,
  EmbeddingsServer,
  ModelConnection,
  ModelConnections,
  ModelInput,
  ModelTestInput,
  ModelTestOutput,
  SearchService,
  SearchServiceInput,
  Overview,
  SettingsOutput as ServerSettings,
  TotalUsageSum as TotalUsage,
} from "@parley/client";

/** An account as administrators see it. */
export type AdminUser = Account & { totp?: boolean };

export type SettingName = "registration" | "sharing" | "quota" | "retention" | "instructions";

/** Where a connection to another service comes from. */
export type Connection = Pick<SearchService, "from" | "fixed_by" | "has_key" | "key_lost">;

/** Whether a service works. */
export type ServiceTest = Pick<ModelTestOutput, "reachable" | "reason" | "detail">;

/** A link to choose a password. */
export interface Invitation {
  link: string;
  /** Whether it is sent by mail too. */
  mailed: boolean;
}
