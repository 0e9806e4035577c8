/**
 * Limits how long the page works without a pause on what can wait, such as highlighting.
 * A pause lets the browser handle input and draw.
 */
class Turn {
  #spent = 0;
  #started: number | null = null;

  /** Reports whether the work since the last pause took less than a number of milliseconds. */
  hasTime(limit: number): boolean {
    const running = this.#started === null ? 0 : performance.now() - this.#started;
    return this.#spent + running < limit;
  }

  /** Does some work and adds its time. */
  work<T>(run: () => T): T {
    if (this.#started !== null) return run();
    if (this.#spent === 0) setTimeout(() => (this.#spent = 0));
    this.#started = performance.now();
    try {
      return run();
    } finally {
      this.#spent += performance.now() - this.#started;
      this.#started = null;
    }
  }
}

export const turn = new Turn();
