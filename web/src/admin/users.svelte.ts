import { type Page, Pages } from "../shared/pages.svelte";
import * as api from "./api";
import type { AdminUser } from "./types";

/** An account in the list. */
export type ListedUser = AdminUser & { id: string };

/** The accounts of the server. */
export class Users extends Pages<ListedUser> {
  protected readonly pageSize = 20;

  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<ListedUser>> {
    const { users, total } = await api.listUsers(word, page, size, signal);
    return { items: users.map((user) => ({ ...user, id: String(user.user_id) })), total };
  }
}
