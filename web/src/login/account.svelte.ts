import * as operations from "../api/operations";
import type { UserInfo } from "../api/types";
import type { Auth } from "./auth.svelte";

/** The account of the user who is logged in. */
export class Account {
  user: UserInfo | null = $state(null);

  /** The id of the user, also before the user is loaded. 0 if it is not known. */
  userId: number = $state(0);

  constructor(
    private readonly auth: Pick<Auth, "userId" | "identify">,
    private readonly ended: AbortSignal,
  ) {
    this.userId = auth.userId;
  }

  async load(): Promise<void> {
    const user = await operations.userInfo();
    if (this.ended.aborted) return;
    this.user = user;
    this.userId = user.user_id;
    this.auth.identify(user.user_id, user.email);
  }
}
