import type { Session } from "../api/types";

/** The dialog to share a session. */
export class Sharing {
  /** The session of the dialog, or null if it is closed. */
  session: Session | null = $state(null);
}

/**
 * Returns the link to show for one that the server gave. If that has the host of this page but no TLS, the page knows the
 * scheme and the port better: a proxy may not tell them to the server.
 */
export function shareLink(given: string): string {
  const link = new URL(given);
  const behindProxy =
    link.hostname === location.hostname && link.protocol === "http:" && location.protocol === "https:";
  return behindProxy ? location.origin + link.pathname : given;
}
