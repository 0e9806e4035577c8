import { activity } from "../sidebar/activity.svelte";
import { browserTab } from "../shared/browser-tab.svelte";
import { deletions, flushEverywhere } from "../shared/deletions";
import { forgetDrafts } from "../composer/draft.svelte";
import { elsewhere } from "../sidebar/elsewhere.svelte";
import { importing } from "../settings/importing.svelte";
import { layout } from "../sidebar/layout.svelte";
import { models } from "../composer/models.svelte";
import { quota } from "../composer/quota.svelte";
import { router } from "../shared/router.svelte";
import { resetSessions } from "../sidebar/sessions.svelte";
import { sharing } from "../chat/sharing.svelte";
import { titleWatch } from "../chat/title-watch";
import { toasts } from "../shared/toasts.svelte";

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
