import { onTestFinished } from "vitest";
import type { UserInfo } from "../../api/types";
import { UserState, userStateKey } from "../../user-state.svelte";

/** Returns the state of a user, which ends with the test, and the context of components that use it. */
export function testUser(info: Partial<UserInfo> | null = null) {
  const user = new UserState({ userId: info?.user_id ?? 1, identify: () => {} });
  if (info) user.account.user = info as UserInfo;
  onTestFinished(() => user.end());
  return { user, context: new Map([[userStateKey, user]]) };
}
