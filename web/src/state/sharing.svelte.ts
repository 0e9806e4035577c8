import type { Session } from "../api/types";

/** The session whose dialog to share it is open. */
export const sharing: { session: Session | null } = $state({ session: null });

/** Returns the address of a share's page on this server, whatever name the server has for itself. */
export const shareLink = (shareId: string) => `${location.origin}/s/${shareId}`;
