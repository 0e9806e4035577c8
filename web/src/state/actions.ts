import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { describe, t } from "../i18n/index.svelte";
import { router } from "./router.svelte";
import { sessions } from "./sessions.svelte";
import { toasts } from "./toasts.svelte";

/** Shows an error as a toast. */
export function showError(error: unknown): void {
  toasts.show(describe(error), { tone: "bad" });
}

/** Returns a session's title, or a translated placeholder if it has none. */
export function titleOf(session: Session | undefined): string {
  return !session || session.untitled ? t("session.untitled") : session.title;
}

export async function renameSession(id: string, title: string): Promise<void> {
  await sessions.rename(id, title).catch(showError);
}

/** Deletes a session. The toast offers to undo it. */
export function removeSession(session: Session): void {
  const { place } = router;
  if (place.page === "chat" && place.sessionId === session.id) router.go("#/");
  const undo = sessions.remove(session.id, (error) => {
    showError(error);
    void sessions.refresh();
  });
  toasts.show(t("session.deleted", { title: titleOf(session) }), { action: { label: t("common.undo"), run: undo } });
}

export async function exportSession(session: Session): Promise<void> {
  try {
    const response = await operations.exportSession(session.id);
    const name = titleOf(session)
      .replace(/[\\/:*?"<>|\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, 80);
    saveAs(await response.blob(), `${name}.md`);
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
function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copies a text, and reports whether that worked. Pages served over plain HTTP have no navigator.clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (!navigator.clipboard) return copySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    console.warn("copy", error);
    return false;
  }
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden-text";
  // A modal dialog makes everything outside of it inert.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
