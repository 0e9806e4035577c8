import { ApiError, code } from "../api/call";
import type { UserInfo } from "../api/types";

/** Whether the server wants a user without a password to sign in again, as it wants the password of others. */
export function isStaleSignIn(problem: unknown, user: UserInfo | null): boolean {
  const refused = problem instanceof ApiError && problem.code === code.wrongPassword && problem.reason !== "totp";
  return refused && (user?.passwordless ?? false);
}
