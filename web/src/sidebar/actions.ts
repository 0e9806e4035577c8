import * as operations from "../api/operations";
import type { Session, StoredFile } from "../api/types";
import { describe, t } from "../i18n/index.svelte";
import { auth } from "../login/auth.svelte";
import { changes } from "../shared/changes";
import { type Deletions, deletions, undoSeconds } from "../shared/deletions";
import { forgetDraft } from "../composer/draft.svelte";
import type { Files } from "../files/files.svelte";
import { chatHash, router } from "../shared/router.svelte";
import { dropSession, refreshSessions, updateSession } from "./sessions.svelte";
import { toasts } from "../shared/toasts.svelte";

/** Shows an error as a toast. */
export function showError(error: unknown): void {
  toasts.show(describe(error), { tone: "bad" });
}

/** Returns a session's title, or a translated placeholder if it has none. */
export function titleOf(session: Session | undefined): string {
  return !session || session.untitled ? t("session.untitled") : session.title;
}

export async function renameSession(id: string, title: string): Promise<void> {
  await updateSession(id, { title }).catch(showError);
}

export async function pinSession(session: Session, pinned: boolean): Promise<void> {
  await updateSession(session.id, { pinned }).catch(showError);
}

/** Archives a session. The toast offers to undo it, and returns to the session if it was open. */
export async function archiveSession(session: Session): Promise<void> {
  const open = leave(session);
  dropSession(session.id);
  if (!(await archive(session, true))) return;
  const undo = async () => {
    if ((await archive(session, false)) && open) router.go(chatHash(session.id));
  };
  toasts.show(t("session.wasArchived", { title: titleOf(session) }), {
    action: { label: t("common.undo"), run: () => void undo() },
    seconds: undoSeconds,
  });
}

export async function unarchiveSession(session: Session): Promise<void> {
  if (await archive(session, false)) toasts.show(t("session.wasUnarchived", { title: titleOf(session) }));
}

/** Reports whether it worked. */
async function archive(session: Session, archived: boolean): Promise<boolean> {
  try {
    await updateSession(session.id, { archived });
    return true;
  } catch (error) {
    showError(error);
    refreshSessions();
    return false;
  }
}

/** Leaves a session if it is open, and reports whether it was. */
function leave(session: Session): boolean {
  const { place } = router;
  const open = place.page === "chat" && place.sessionId === session.id;
  if (open) router.go("#/");
  return open;
}

/** Deletes a session. The toast offers to undo it, and returns to the session if it was open. */
export function removeSession(session: Session): void {
  const { userId } = auth;
  const open = leave(session);
  deleteLater(deletions.sessions, session.id, t("session.deleted", { title: titleOf(session) }), {
    run: async (leaving) => {
      await operations.deleteSession(session.id, leaving);
      forgetDraft(userId, session.id);
      dropSession(session.id); // a refresh may have listed it again
      changes.announce(session.id);
    },
    restore: refreshSessions,
    undone: () => {
      if (open) router.go(chatHash(session.id));
    },
  });
  dropSession(session.id);
}

/** Removes a file of a session. The toast offers to undo it. */
export function removeFile(file: StoredFile, files: Files, sessionId: string): void {
  deleteLater(deletions.files, file.file_id, t("files.removed", { name: file.filename }), {
    run: async (leaving) => {
      await operations.deleteFile(file.file_id, leaving);
      changes.announce(sessionId);
    },
    restore: () => void files.load(sessionId),
  });
  files.drop(file.file_id);
}

interface LaterDeletion {
  run: (leaving: boolean) => Promise<void>;
  /** Shows it again, if the deletion was undone or has failed. */
  restore: () => void;
  undone?: () => void;
}

/** Deletes something after the time to undo it. */
function deleteLater(kind: Deletions, id: string, text: string, { run, restore, undone }: LaterDeletion): void {
  const undo = () => {
    kind.undo(id);
    restore();
    undone?.();
  };
  const toast = toasts.show(text, { action: { label: t("common.undo"), run: undo }, seconds: undoSeconds });
  kind.add(id, {
    run,
    final: () => toasts.close(toast),
    failed: (error) => {
      showError(error);
      kind.undo(id);
      restore();
    },
  });
}

export async function exportSession(session: Session, format: operations.ExportFormat): Promise<void> {
  try {
    const response = await operations.exportSession(session.id, format);
    const name = titleOf(session)
      .replace(/[\\/:*?"<>|\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, 80);
    saveAs(await response.blob(), `${name}.${format === "html" ? "html" : "md"}`);
  } catch (error) {
    showError(error);
  }
}

export async function exportAccount(): Promise<void> {
  try {
    saveAs(await (await operations.exportAccount()).blob(), "parley-export.zip");
  } catch (error) {
    showError(error);
  }
}

export async function downloadFile(id: string, name: string): Promise<void> {
  try {
    saveAs(await (await operations.downloadFile(id)).blob(), name);
  } catch (error) {
    showError(error);
  }
}

/** Saves a blob as a file. A plain link can't carry the token. */
export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
