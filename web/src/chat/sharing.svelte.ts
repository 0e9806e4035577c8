import type { Session } from "../api/types";

/** The session whose dialog to share it is open. */
export const sharing: { session: Session | null } = $state({ session: null });

/**
 * Returns the link to show for one that the server gave. If that has the host of this page but no TLS, the page knows the
 * scheme and the port better: a proxy may not tell them to the server.
 */
export function shareLink(given: string): string {
  const link = new URL(given);
  const behindProxy = link.hostname === location.hostname && link.protocol === "http:" && location.protocol === "https:";
  return behindProxy ? location.origin + link.pathname : given;
}
