import * as operations from "../api/operations";
import type { Session, SessionFilter, UpdateSessionInput } from "../api/types";
import { onReturn } from "../shared/network.svelte";
import { type Page, Pages } from "../shared/pages.svelte";
import type { UserState } from "../user-state.svelte";

/** What the lists of sessions need to know. */
type Surroundings = Pick<UserState, "activity" | "changes" | "deletions">;

/** A list of sessions, latest activity first. */
class SessionList extends Pages<Session> {
  protected readonly pageSize = 40;
  readonly #user: Surroundings;
  readonly #filter: SessionFilter;

  constructor(user: Surroundings, ended: AbortSignal, filter: SessionFilter = {}) {
    super();
    this.#user = user;
    this.#filter = filter;
    const refresh = () => {
      if (this.loaded || this.error) void this.refresh();
    };
    let due = false;
    user.changes.listen((id) => {
      user.activity.change(id);
      if (due) return; // of many at once
      due = true;
      queueMicrotask(() => {
        due = false;
        refresh();
      });
    });
    ended.addEventListener("abort", onReturn(refresh));
    ended.addEventListener("abort", () => this.reset());
  }

  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<Session>> {
    const { activity, deletions } = this.#user;
    const { sessions, total } = await operations.listSessions(page, size, word, signal, this.#filter);
    activity.compare(sessions);
    return { items: sessions.filter(({ id }) => !deletions.sessions.has(id)), total };
  }

  find(id: string | null): Session | undefined {
    return this.list.find((session) => session.id === id);
  }
}

/** The lists of the user's sessions. */
export class Sessions {
  /** All sessions that are not archived. */
  readonly all: SessionList;
  readonly pinned: SessionList;
  readonly archived: SessionList;
  /** Sessions that were created in this tab and deleted because nothing came of them. */
  readonly disposed = new Set<string>();
  readonly #lists: SessionList[];

  constructor(
    private readonly user: Surroundings,
    ended: AbortSignal,
  ) {
    this.all = new SessionList(user, ended);
    this.pinned = new SessionList(user, ended, { pinned: true });
    this.archived = new SessionList(user, ended, { archived: true });
    this.#lists = [this.all, this.pinned, this.archived];
  }

  /** Changes fields of a session. */
  async update(id: string, change: UpdateSessionInput): Promise<void> {
    await operations.updateSession(id, change);
    const { title } = change;
    for (const list of this.#lists) {
      const session = list.find(id);
      if (session && title) Object.assign(session, { title, untitled: false });
    }
    this.user.changes.announce(id);
  }

  /** Takes a session out of all lists, until they are read again. */
  drop(id: string): void {
    for (const list of this.#lists) list.drop(id);
  }

  /** Reads the lists that are shown again. */
  refresh(): void {
    for (const list of this.#lists) if (list.loaded) void list.refresh();
  }
}
