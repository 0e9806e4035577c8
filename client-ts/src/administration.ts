import { Accounts } from "./accounts.js";
import type { CallOptions } from "./transport.js";
import type * as wire from "./types.js";

/** What administrators do. Claim is for the first one. */
export abstract class Administration extends Accounts {
  /** Makes the user the first administrator, by the code in the server's log. */
  claim(input: wire.ClaimInput, options?: CallOptions): Promise<wire.UserInfo> {
    return this.post("/api/admin/claim", input, options);
  }

  /** Lists a page of the accounts, newest first. With a keyword, those whose address or nickname contains it. */
  users(query?: wire.UsersQuery, options?: CallOptions): Promise<wire.UsersOutput> {
    return this.get("/api/admin/users", { ...options, query });
  }

  /** Sums up the usage of all users by day, by model or by user. */
  totalUsage(query: wire.TotalUsageQuery = {}, options?: CallOptions): Promise<wire.TotalUsageOutput> {
    return this.get("/api/admin/usage", { ...options, query });
  }

  /** Lists entries of the audit log, newest first. */
  auditLog(query: wire.AuditQuery = {}, options?: CallOptions): Promise<wire.AuditOutput> {
    return this.get("/api/admin/audit", { ...options, query });
  }

  /** Returns the state of the server. */
  overview(options?: CallOptions): Promise<wire.Overview> {
    return this.get("/api/admin/overview", options);
  }

  /** Ends the logins and keys of an account and refuses new ones. */
  disableUser(userId: number, options?: CallOptions): Promise<void> {
    return this.post(`${accountPath(userId)}/disable`, undefined, options);
  }

  /** Allows a disabled account to log in again. */
  enableUser(userId: number, options?: CallOptions): Promise<void> {
    return this.post(`${accountPath(userId)}/enable`, undefined, options);
  }

  /** Gives an account a new password and ends its logins. */
  resetUserPassword(userId: number, options?: CallOptions): Promise<wire.ResetPasswordOutput> {
    return this.post(`${accountPath(userId)}/reset-password`, undefined, options);
  }

  /** Sets what an account may use in a day. */
  setUserQuota(userId: number, input: wire.QuotaInput, options?: CallOptions): Promise<void> {
    return this.post(`${accountPath(userId)}/quota`, input, options);
  }

  /** Makes an account an administrator. */
  promoteUser(userId: number, options?: CallOptions): Promise<void> {
    return this.post(`${accountPath(userId)}/promote`, undefined, options);
  }

  /** Makes an administrator an ordinary user. */
  demoteUser(userId: number, options?: CallOptions): Promise<void> {
    return this.post(`${accountPath(userId)}/demote`, undefined, options);
  }

  /** Deletes the account of another user and all it owns. */
  removeUser(userId: number, options?: CallOptions): Promise<void> {
    return this.call("DELETE", accountPath(userId), options);
  }

  /** Returns the settings of the server that administrators can change. */
  settings(options?: CallOptions): Promise<wire.SettingsOutput> {
    return this.get("/api/admin/settings", options);
  }

  /** Changes the given settings and returns all of them. Those that are null go back to their defaults. */
  updateSettings(input: wire.SettingsInput, options?: CallOptions): Promise<wire.SettingsOutput> {
    return this.call("PATCH", "/api/admin/settings", { ...options, body: input });
  }
}

const accountPath = (id: number) => `/api/admin/users/${id}`;
