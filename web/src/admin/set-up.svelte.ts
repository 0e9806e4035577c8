import { auth } from "../login/auth.svelte";

const key = "parley.setUp";

/** How far the user is: "claimed" after having become administrator, "dismissed" after having closed the card. */
type Step = "" | "claimed" | "dismissed";

/** The card that helps with a new server, stored in this browser. */
class SetUp {
  #step: Step = $state((localStorage.getItem(key) ?? "") as Step);

  get shown(): boolean {
    return this.checking || (auth.user?.claimable === true && this.#step !== "dismissed");
  }

  /** Whether the card says what is left to do, because the user has become administrator by it. */
  get checking(): boolean {
    return auth.user?.admin === true && this.#step === "claimed";
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

export const setUp = new SetUp();
