import { ApiError } from "../api/call";
import * as operations from "../api/operations";
import type { Key } from "../i18n/en";
import { router } from "../shared/router.svelte";

/** What a browser comes back with from the provider of single sign-on. */
export type Arrival = { kind: "login" | "link"; code: string } | { kind: "error"; reason: Key };

/** Where this tab was when it went to the provider. */
const begunKey = "parley.signIn";

const reasons: Record<string, Key> = {
  unavailable: "signIn.unavailable",
  denied: "signIn.denied",
  expired: "signIn.expired",
  refused: "signIn.refused",
  unverified: "signIn.unverified",
  closed: "signIn.closed",
  disabled: "signIn.disabled",
  "too-many": "signIn.tooMany",
};

/**
 * Reads the hash of an address. A code is only taken by the tab that went to the provider: a link that somebody else
 * has sent would log in as another user, or link another's identity.
 */
export function parseArrival(hash: string, begun: boolean): Arrival | null {
  const [, kind, value = ""] = /^#(login|link|login-error)=(.*)$/.exec(hash) ?? [];
  if (kind === "login-error") return { kind: "error", reason: reasons[value] ?? "signIn.failed" };
  if (kind !== "login" && kind !== "link") return null;
  return begun ? { kind, code: value } : { kind: "error", reason: "signIn.elsewhere" };
}

/** Single sign-on: the provider, and the way back from it. */
class SignIn {
  /** What the provider is called; null if there is none or it is not known yet. */
  provider: string | null = $state(null);
  arrival: Arrival | null = $state.raw(null);

  constructor() {
    const begun = sessionStorage.getItem(begunKey);
    this.arrival = parseArrival(location.hash, begun !== null);
    if (!this.arrival) return;
    sessionStorage.removeItem(begunKey);
    router.replace(begun ?? "#/"); // where the tab was; the code must not stay in the address
  }

  /** Asks for the provider's name. */
  async load(): Promise<void> {
    try {
      // Most servers have no provider, and then getSignOn fails.
      this.provider = (await operations.resetStatus()).sign_on_name ?? null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Goes to the provider. */
  begin(): void {
    sessionStorage.setItem(begunKey, location.hash || "#/");
    location.assign("/api/auth/oidc/start");
  }

  /** Ends the way back: the page goes on as it is. */
  leave(): void {
    this.arrival = null;
  }
}

export const signIn = new SignIn();
