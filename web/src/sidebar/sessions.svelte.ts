import * as operations from "../api/operations";
import type { Session, SessionFilter, UpdateSessionInput } from "../api/types";
import { activity } from "./activity.svelte";
import { changes } from "../shared/changes";
import { deletions } from "../shared/deletions";
import { onReturn } from "../shared/network.svelte";
import { type Page, Pages } from "../shared/pages.svelte";

/** A list of sessions, latest activity first. */
class Sessions extends Pages<Session> {
  protected readonly pageSize = 40;
  readonly #filter: SessionFilter;

  constructor(filter: SessionFilter = {}) {
    super();
    this.#filter = filter;
    const refresh = () => {
      if (this.loaded || this.error) void this.refresh();
    };
    changes.listen((id) => {
      activity.change(id);
      refresh();
    });
    onReturn(refresh);
  }

  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<Session>> {
    const { sessions, total } = await operations.listSessions(page, size, word, signal, this.#filter);
    activity.compare(sessions);
    return { items: sessions.filter(({ id }) => !deletions.sessions.has(id)), total };
  }

  find(id: string | null): Session | undefined {
    return this.list.find((session) => session.id === id);
  }
}

/** All sessions that are not archived. */
export const sessions = new Sessions();
export const pinned = new Sessions({ pinned: true });
export const archived = new Sessions({ archived: true });
const lists = [sessions, pinned, archived];

/** Changes fields of a session. */
export async function updateSession(id: string, change: UpdateSessionInput): Promise<void> {
  await operations.updateSession(id, change);
  const { title } = change;
  for (const list of lists) {
    const session = list.find(id);
    if (session && title) Object.assign(session, { title, untitled: false });
  }
  changes.announce(id);
}

/** Takes a session out of all lists, until they are read again. */
export function dropSession(id: string): void {
  for (const list of lists) list.drop(id);
}

/** Reads the lists that are shown again. */
export function refreshSessions(): void {
  for (const list of lists) if (list.loaded) void list.refresh();
}

/** Clears the lists, because another user may log in. */
export function resetSessions(): void {
  for (const list of lists) list.reset();
}
