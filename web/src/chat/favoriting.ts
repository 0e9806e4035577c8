import * as operations from "../api/operations";

/** Adds messages to the favorites and removes them. */
export class Favoriting {
  /** Requests under way. A list that was fetched meanwhile could lack what they change. */
  readonly #underWay = new Set<Promise<unknown>>();

  /** Adds a message to the favorites, or removes it. */
  set(messageId: string, sessionId: string, favorited: boolean): Promise<unknown> {
    const request = favorited ? operations.addFavorite(messageId, sessionId) : operations.removeFavorite(messageId);
    this.#underWay.add(request);
    return request.finally(() => this.#underWay.delete(request));
  }

  /** Resolves when all changes have been made, or have failed. */
  settled(): Promise<unknown> {
    return Promise.allSettled(this.#underWay);
  }
}
