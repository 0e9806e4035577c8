import type { Account } from "../login/account.svelte";

const key = "parley.setUp";

/** How far the user is: "claimed" after having become administrator, "dismissed" after having closed the card. */
type Step = "" | "claimed" | "dismissed";

/** The card that helps with a new server, stored in this browser. */
export class SetUp {
  #step: Step = $state((localStorage.getItem(key) ?? "") as Step);

  constructor(private readonly account: Account) {}

  get shown(): boolean {
    return this.checking || (this.account.user?.claimable === true && this.#step !== "dismissed");
  }

  /** Whether the card says what is left to do, because the user has become administrator by it. */
  get checking(): boolean {
    return this.account.user?.admin === true && this.#step === "claimed";
  }

  claimed(): void {
    this.#go("claimed");
  }

  dismiss(): void {
    this.#go("dismissed");
  }

  #go(step: Step): void {
    this.#step = step;
    localStorage.setItem(key, step);
  }
}
