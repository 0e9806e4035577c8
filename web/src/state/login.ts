import { activity } from "./activity.svelte";
import { browserTab } from "./browser-tab.svelte";
import { deletions, flushEverywhere } from "./deletions";
import { forgetDrafts } from "./draft.svelte";
import { elsewhere } from "./elsewhere.svelte";
import { importing } from "./importing.svelte";
import { layout } from "./layout.svelte";
import { models } from "./models.svelte";
import { quota } from "./quota.svelte";
import { router } from "./router.svelte";
import { resetSessions } from "./sessions.svelte";
import { sharing } from "./sharing.svelte";
import { titleWatch } from "./title-watch";
import { toasts } from "./toasts.svelte";

/** Does what the user has asked for and what can only be done while the login lasts. */
export async function settleLogin(): Promise<void> {
  await flushEverywhere();
}

/** Forgets what this tab has of a login that has ended, so that the next user sees nothing of it. */
export function forgetLogin(): void {
  deletions.sessions.drop();
  deletions.files.drop();
  toasts.clear();
  resetSessions();
  titleWatch.reset();
  models.reset();
  quota.reset();
  sharing.session = null;
  activity.reset();
  elsewhere.reset();
  browserTab.show(0);
  importing.reset();
  layout.drawerOpen = false;
}

/** Forgets the user too: the place in the client, and the drafts in this browser. */
export function forgetUser(userId: number): void {
  forgetDrafts(userId);
  importing.forget(userId);
  router.replace("#/");
}
