import { ApiError, code } from "../api/call";
import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { forgetDraft } from "../composer/draft.svelte";
import { describe, t } from "../i18n/index.svelte";
import { undoSeconds } from "../shared/deletions";
import { exportSession, fileNameOf, saveAs } from "../shared/downloads";
import { type Failures, runForEach } from "../shared/parallel";
import type { UserState } from "../user-state.svelte";
import { type BulkText, say } from "./bulk-texts";
import { leave } from "./session-actions";

/**
 * What a user does to several sessions at once. A toast says what was done, and for how many it has failed. The methods
 * return the sessions for which it has.
 */
export class BulkActions {
  constructor(private readonly user: Pick<UserState, "account" | "changes" | "sessions" | "toasts">) {}

  /** Archives sessions, or moves them back to the list. The toast offers to undo it. */
  async setArchived(sessions: Session[], archived: boolean): Promise<Session[]> {
    const failures = await this.#archive(sessions, archived);
    const done = sessions.filter((session) => !failures.items.includes(session));
    const undo = async () => this.#tellFailures("notUndone", done, await this.#archive(done, !archived));
    if (done.length > 0) {
      this.user.toasts.show(say(archived ? "archived" : "unarchived", { count: done.length }), {
        action: { label: t("common.undo"), run: () => void undo() },
        seconds: undoSeconds,
      });
    }
    return this.#tellFailures(archived ? "notArchived" : "notUnarchived", sessions, failures);
  }

  async #archive(sessions: Session[], archived: boolean): Promise<Failures<Session>> {
    if (archived) for (const session of sessions) leave(session);
    const failures = await runForEach(sessions, async ({ id }) => {
      await operations.updateSession(id, { archived });
    });
    this.user.changes.announce(...sessions.map(({ id }) => id));
    return failures;
  }

  /** Deletes sessions. One that is gone counts as deleted. progressed is called after each of them. */
  async remove(sessions: Session[], progressed?: (done: number) => void): Promise<Session[]> {
    const { account, changes, sessions: lists, toasts } = this.user;
    const { userId } = account;
    for (const session of sessions) leave(session);
    const remove = async ({ id }: Session) => {
      await operations.deleteSession(id).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === code.noSuchSession)) throw error;
      });
      forgetDraft(userId, id);
    };
    const failures = await runForEach(sessions, remove, progressed);
    const done = sessions.filter((session) => !failures.items.includes(session));
    for (const { id } of done) lists.drop(id);
    changes.announce(...done.map(({ id }) => id));
    if (done.length > 0) toasts.show(say("deleted", { count: done.length }));
    return this.#tellFailures("notDeleted", sessions, failures);
  }

  /** Saves sessions as Markdown: one as a file, several in an archive. */
  async export(sessions: Session[]): Promise<Session[]> {
    const [first] = sessions;
    if (!first) return [];
    if (sessions.length === 1) {
      return this.#tellFailures(
        "notExported",
        sessions,
        await runForEach(sessions, (session) => exportSession(session, "markdown")),
      );
    }
    const contents = new Map<Session, Blob>();
    const failures = await runForEach(sessions, async (session) => {
      contents.set(session, await (await operations.exportSession(session.id, "markdown")).blob());
    });
    if (contents.size > 0) {
      const { zip } = await import("../shared/zip"); // rarely needed
      const done = sessions.filter((session) => contents.has(session));
      saveAs(
        await zip(done.map((session) => [`${fileNameOf(session)}.md`, contents.get(session)!])),
        "parley-chats.zip",
      );
    }
    return this.#tellFailures("notExported", sessions, failures);
  }

  /** Says for how many sessions something has failed, and why for the first one. */
  #tellFailures(text: BulkText, sessions: Session[], { items, error }: Failures<Session>): Session[] {
    if (items.length > 0) {
      const values = { count: items.length, total: sessions.length, reason: describe(error) };
      this.user.toasts.show(say(text, values), { tone: "bad", seconds: undoSeconds });
    }
    return items;
  }
}
