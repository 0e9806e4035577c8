/** How long a pause ends the typed beginning of a name, in milliseconds. */
const pause = 700;

/** Chooses the item of a menu that a key moves to. */
export class MenuKeys {
  #typed = "";
  #last = -Infinity;

  /** Returns the index of the item to focus, or null if the key means nothing. at is the current index, or -1. */
  next(key: string, at: number, names: string[], now: number): number | null {
    const count = names.length;
    if (count === 0) return null;
    if (key === "ArrowDown") return (at + 1) % count;
    if (key === "ArrowUp") return at <= 0 ? count - 1 : at - 1;
    if (key === "Home") return 0;
    if (key === "End") return count - 1;
    if ([...key].length !== 1 || (key === " " && now - this.#last > pause)) return null;
    return this.#type(key, at, names, now);
  }

  /** Finds the name that begins with what was typed. The same letter again goes on to the next one. */
  #type(key: string, at: number, names: string[], now: number): number | null {
    this.#typed = now - this.#last > pause ? key : this.#typed + key;
    this.#last = now;
    const repeated = [...this.#typed].every((letter) => letter === key);
    const beginning = (repeated ? key : this.#typed).toLowerCase();
    const from = repeated ? at + 1 : Math.max(at, 0);
    for (let step = 0; step < names.length; step++) {
      const index = (from + step) % names.length;
      if (names[index]!.toLowerCase().startsWith(beginning)) return index;
    }
    return null;
  }
}
