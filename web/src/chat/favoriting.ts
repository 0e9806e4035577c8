import * as operations from "../api/operations";

/** Requests under way. A list that was fetched meanwhile could lack what they change. */
const underWay = new Set<Promise<unknown>>();

/** Adds a message to the favorites, or removes it. */
export function setFavorite(messageId: string, sessionId: string, favorited: boolean): Promise<unknown> {
  const request = favorited ? operations.addFavorite(messageId, sessionId) : operations.removeFavorite(messageId);
  underWay.add(request);
  return request.finally(() => underWay.delete(request));
}

/** Resolves when all changes have been made, or have failed. */
export const favoritesSettled = (): Promise<unknown> => Promise.allSettled(underWay);
