import { router } from "../shared/router.svelte";

/** The code of a link to set a new password: #reset=CODE. It is taken out of the address, so that it is not kept. */
class ResetLink {
  code: string | null = $state(null);

  constructor() {
    this.#read();
    addEventListener("hashchange", () => this.#read());
  }

  #read(): void {
    const code = /^#reset=(.+)$/.exec(location.hash)?.[1];
    if (!code) return;
    this.code = code;
    router.replace("#/");
  }
}

export const resetLink = new ResetLink();
