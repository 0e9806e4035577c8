import { untrack } from "svelte";
import { ApiError } from "../api/call";

/** Counts down the seconds until an error's request may be retried. */
export class Countdown {
  seconds = $state(0);

  /** Must be called where $effect is allowed. */
  constructor(error: () => unknown) {
    $effect(() => {
      const failure = error();
      const update = () => {
        this.seconds = failure instanceof ApiError ? Math.max(0, Math.ceil((failure.retryAt - Date.now()) / 1000)) : 0;
        if (this.seconds === 0) clearInterval(timer);
      };
      const timer = setInterval(update, 1000);
      untrack(update);
      return () => clearInterval(timer);
    });
  }
}
