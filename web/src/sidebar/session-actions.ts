import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { forgetDraft } from "../composer/draft.svelte";
import { t } from "../i18n/index.svelte";
import { undoSeconds } from "../shared/deletions";
import { chatHash, router } from "../shared/router.svelte";
import { titleOf } from "../shared/session-title";
import type { UserState } from "../user-state.svelte";

/** What a user does to a session from its menu. Toasts say what was done, and what has failed. */
export class SessionActions {
  constructor(private readonly user: Pick<UserState, "account" | "changes" | "deletions" | "sessions" | "toasts">) {}

  async rename(id: string, title: string): Promise<void> {
    const { sessions, toasts } = this.user;
    await sessions.update(id, { title }).catch(toasts.showError);
  }

  async pin(session: Session, pinned: boolean): Promise<void> {
    const { sessions, toasts } = this.user;
    await sessions.update(session.id, { pinned }).catch(toasts.showError);
  }

  /** Archives a session. The toast offers to undo it, and returns to the session if it was open. */
  async archive(session: Session): Promise<void> {
    const open = leave(session);
    this.user.sessions.drop(session.id);
    if (!(await this.#setArchived(session, true))) return;
    const undo = async () => {
      if ((await this.#setArchived(session, false)) && open) router.go(chatHash(session.id));
    };
    this.user.toasts.show(t("session.wasArchived", { title: titleOf(session) }), {
      action: { label: t("common.undo"), run: () => void undo() },
      seconds: undoSeconds,
    });
  }

  async unarchive(session: Session): Promise<void> {
    if (!(await this.#setArchived(session, false))) return;
    this.user.toasts.show(t("session.wasUnarchived", { title: titleOf(session) }));
  }

  /** Reports whether it worked. */
  async #setArchived(session: Session, archived: boolean): Promise<boolean> {
    const { sessions, toasts } = this.user;
    try {
      await sessions.update(session.id, { archived });
      return true;
    } catch (error) {
      toasts.showError(error);
      sessions.refresh();
      return false;
    }
  }

  /** Deletes a session. The toast offers to undo it, and returns to the session if it was open. */
  remove(session: Session): void {
    const { changes, deletions, sessions } = this.user;
    const { userId } = this.user.account;
    const open = leave(session);
    deletions.add(deletions.sessions, session.id, {
      text: t("session.deleted", { title: titleOf(session) }),
      run: async (leaving) => {
        await operations.deleteSession(session.id, leaving);
        forgetDraft(userId, session.id);
        sessions.drop(session.id); // a refresh may have listed it again
        changes.announce(session.id);
      },
      restore: () => sessions.refresh(),
      undone: () => {
        if (open) router.go(chatHash(session.id));
      },
    });
    sessions.drop(session.id);
  }
}

/** Leaves a session if it is open, and reports whether it was. */
export function leave(session: Session): boolean {
  const { place } = router;
  const open = place.page === "chat" && place.sessionId === session.id;
  if (open) router.go("#/");
  return open;
}
