import { ApiError, code } from "../api/call";
import { auth } from "./auth.svelte";

/** Whether the server wants a user without a password to sign in again, as it wants the password of others. */
export function isStaleSignIn(problem: unknown): boolean {
  const refused = problem instanceof ApiError && problem.code === code.wrongPassword && problem.reason !== "totp";
  return refused && (auth.user?.passwordless ?? false);
}
