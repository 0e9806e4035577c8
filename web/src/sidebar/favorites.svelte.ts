import * as operations from "../api/operations";
import type { Favorite } from "../api/types";
import type { Changes } from "../shared/changes";
import type { Favoriting } from "../chat/favoriting";
import { type Page, Pages } from "../shared/pages.svelte";
import { chatHash, router } from "../shared/router.svelte";

/** The list of favorites, newest first. */
export class Favorites extends Pages<Favorite> {
  protected readonly pageSize = 20;

  constructor(
    private readonly favoriting: Favoriting,
    private readonly changes: Changes,
  ) {
    super();
  }

  protected async fetch(page: number, size: number, word: string, signal: AbortSignal): Promise<Page<Favorite>> {
    await this.favoriting.settled();
    const { favorites, total } = await operations.listFavorites(page, size, word, signal);
    return { items: favorites, total };
  }

  /** Shows a message that is set aside, instead of the other version, and goes to it. */
  async show({ session_id: sessionId = "", message_id, number }: Favorite): Promise<void> {
    await operations.showVersion(message_id);
    this.changes.announce(sessionId);
    router.go(chatHash(sessionId, number));
  }

  async remove(favorite: Favorite): Promise<void> {
    await operations.removeFavorite(favorite.message_id);
    this.drop(favorite.id);
  }
}
