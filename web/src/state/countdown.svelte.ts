import { untrack } from "svelte";
import { ApiError } from "../api/call";

/** Counts the seconds down that the server asked to wait before the next try. */
export class Countdown {
  seconds = $state(0);

  /** To be made where effects may be made. */
  constructor(error: () => unknown) {
    $effect(() => {
      const failure = error();
      const look = () => {
        this.seconds = failure instanceof ApiError ? Math.max(0, Math.ceil((failure.retryAt - Date.now()) / 1000)) : 0;
        if (this.seconds === 0) clearInterval(timer);
      };
      const timer = setInterval(look, 1000);
      untrack(look);
      return () => clearInterval(timer);
    });
  }
}
