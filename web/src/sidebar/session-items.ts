import Archive from "@lucide/svelte/icons/archive";
import ArchiveRestore from "@lucide/svelte/icons/archive-restore";
import Pin from "@lucide/svelte/icons/pin";
import PinOff from "@lucide/svelte/icons/pin-off";
import type { Session } from "../api/types";
import { t } from "../i18n/index.svelte";
import type { SessionActions } from "./session-actions";

/** The item of a session's menu that pins it or takes that back. */
export const pinItem = (session: Session, actions: SessionActions) =>
  session.pinned
    ? { label: t("session.unpin"), icon: PinOff, run: () => void actions.pin(session, false) }
    : { label: t("session.pin"), icon: Pin, run: () => void actions.pin(session, true) };

/** The item of a session's menu that archives it or takes that back. */
export const archiveItem = (session: Session, actions: SessionActions) =>
  session.archived
    ? { label: t("session.unarchive"), icon: ArchiveRestore, run: () => void actions.unarchive(session) }
    : { label: t("session.archive"), icon: Archive, run: () => void actions.archive(session) };
