/** The time in milliseconds, which advances every minute. Must be created where $effect is allowed. */
export class Clock {
  now = $state(Date.now());

  constructor() {
    $effect(() => {
      const timer = setInterval(() => (this.now = Date.now()), 60_000);
      return () => clearInterval(timer);
    });
  }
}
