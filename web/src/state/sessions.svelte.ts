import * as operations from "../api/operations";
import type { Session } from "../api/types";
import { activity } from "./activity.svelte";
import { changes } from "./changes";
import { deletions } from "./deletions";
import { onReturn } from "./network.svelte";
import { type Page, Pages } from "./pages.svelte";

/** The list of sessions, latest activity first. */
class Sessions extends Pages<Session> {
  protected readonly pageSize = 40;

  constructor() {
    super();
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
    const { sessions, total } = await operations.listSessions(page, size, word, signal);
    activity.compare(sessions);
    return { items: sessions.filter(({ id }) => !deletions.sessions.has(id)), total };
  }

  find(id: string | null): Session | undefined {
    return this.list.find((session) => session.id === id);
  }

  async rename(id: string, title: string): Promise<void> {
    await operations.renameSession(id, title);
    const session = this.find(id);
    if (session) Object.assign(session, { title, untitled: false });
    changes.announce(id);
  }
}

export const sessions = new Sessions();
