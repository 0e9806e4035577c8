import { router } from "../shared/router.svelte";

/**
 * The code of a link to set a new password, #reset=CODE, or of an invitation, #invite=CODE. It is taken out of the
 * address, so that it is not kept.
 */
class ResetLink {
  code: string | null = $state(null);
  /** Whether it is an invitation. */
  invited = $state(false);

  constructor() {
    this.#read();
    addEventListener("hashchange", () => this.#read());
  }

  #read(): void {
    const [, kind, code] = /^#(reset|invite)=(.+)$/.exec(location.hash) ?? [];
    if (!code) return;
    this.code = code;
    this.invited = kind === "invite";
    router.replace("#/");
  }
}

export const resetLink = new ResetLink();
