import * as operations from "../api/operations";
import type { Favorite } from "../api/types";
import { type Page, Pages } from "./pages.svelte";

const pageSize = 20;

/** The favorites page: newest first. */
export class Favorites extends Pages<Favorite> {
  protected async fetch(page: number, word: string, signal: AbortSignal): Promise<Page<Favorite>> {
    const { favorites, total } = await operations.listFavorites(page, pageSize, word, signal);
    return { items: favorites, hasMore: page * pageSize < total };
  }

  async remove(favorite: Favorite): Promise<void> {
    await operations.removeFavorite(favorite.message_id);
    this.list = this.list.filter(({ id }) => id !== favorite.id);
  }
}
