import { deletions } from "./deletions";
import { forgetDrafts } from "./draft.svelte";
import { importing } from "./importing.svelte";
import { layout } from "./layout.svelte";
import { models } from "./models.svelte";
import { router } from "./router.svelte";
import { sessions } from "./sessions.svelte";
import { toasts } from "./toasts.svelte";

/** Does what the user has asked for and what can only be done while the login lasts. */
export async function settleLogin(): Promise<void> {
  await Promise.all([deletions.sessions.flush(), deletions.files.flush()]);
}

/** Forgets what this tab has of a login that has ended, so that the next user sees nothing of it. */
export function forgetLogin(): void {
  deletions.sessions.drop();
  deletions.files.drop();
  toasts.clear();
  sessions.reset();
  models.reset();
  importing.reset();
  layout.drawerOpen = false;
}

/** Forgets the user too: the place in the client, and the drafts in this browser. */
export function forgetUser(userId: number): void {
  forgetDrafts(userId);
  importing.forget(userId);
  router.replace("#/");
}
