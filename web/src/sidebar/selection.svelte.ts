import { SvelteMap } from "svelte/reactivity";
import type { Session } from "../api/types";

/** The sessions of a list that the user has selected, to do something with all of them. */
export class Selection {
  /** Whether the list has checkboxes. */
  active = $state(false);
  /** The session that the selection began with. */
  first = "";
  readonly #sessions = new SvelteMap<string, Session>();

  get sessions(): Session[] {
    return [...this.#sessions.values()];
  }

  get count(): number {
    return this.#sessions.size;
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  begin(session: Session): void {
    this.active = true;
    this.first = session.id;
    this.set([session]);
  }

  toggle(session: Session): void {
    if (!this.#sessions.delete(session.id)) this.#sessions.set(session.id, session);
  }

  /** Selects these sessions and no others. */
  set(sessions: Session[]): void {
    this.#sessions.clear();
    for (const session of sessions) this.#sessions.set(session.id, session);
  }

  end(): void {
    this.active = false;
    this.#sessions.clear();
  }
}
