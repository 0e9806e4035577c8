import * as operations from "../api/operations";
import type { Favorite } from "../api/types";
import { type Page, Pages } from "./pages.svelte";

/** The list of favorites, newest first. */
export class Favorites extends Pages<Favorite> {
  protected readonly pageSize = 20;

  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<Favorite>> {
    const { favorites, total } = await operations.listFavorites(page, size, word, signal);
    return { items: favorites, total };
  }

  async remove(favorite: Favorite): Promise<void> {
    await operations.removeFavorite(favorite.message_id);
    this.drop(favorite.id);
  }
}
