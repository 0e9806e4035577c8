import type { Session } from "../api/types";
import { t } from "../i18n/index.svelte";

/** Returns a session's title, or a translated placeholder if it has none. */
export function titleOf(session: Session | undefined): string {
  return !session || session.untitled ? t("session.untitled") : session.title;
}
