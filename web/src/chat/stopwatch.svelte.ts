import { untrack } from "svelte";

/** Counts the whole seconds since a time. */
export class Stopwatch {
  seconds = $state(0);

  /** since returns a time in milliseconds, or 0 to stop. Must be called where $effect is allowed. */
  constructor(since: () => number) {
    $effect(() => {
      const start = since();
      if (!start) return;
      const update = () => (this.seconds = Math.max(0, Math.floor((Date.now() - start) / 1000)));
      const timer = setInterval(update, 1000);
      untrack(update);
      return () => clearInterval(timer);
    });
  }
}
