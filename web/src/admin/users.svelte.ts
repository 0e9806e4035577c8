import { type Page, Pages } from "../state/pages.svelte";
import * as api from "./api";
import type { AdminUser } from "./types";

/** An account in the list. */
export type ListedUser = AdminUser & { id: string };

/** The accounts of the server. */
export class Users extends Pages<ListedUser> {
  protected readonly pageSize = 20;

  /** The server's pages have one size, so a larger page is several of them. */
  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<ListedUser>> {
    const pages = size / this.pageSize;
    const items: ListedUser[] = [];
    let total = 0;
    for (let step = 0; step < pages; step++) {
      const part = await api.listUsers(word, (page - 1) * pages + step + 1, signal);
      total = part.total;
      items.push(...part.users.map((user) => ({ ...user, id: String(user.user_id) })));
      if (part.users.length < this.pageSize) break;
    }
    return { items, total };
  }
}
