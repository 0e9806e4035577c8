import { Files } from "./files.js";
import type { CallOptions } from "./transport.js";
import type * as wire from "./types.js";

/**
 * A client of a Parley server as one user. Every method throws an ApiError if the server refuses the request or can't
 * be reached, and the reason of the signal if that is aborted.
 */
export class Client extends Files {
  /** Returns a client of the same server with another token, which may be null. */
  withToken(token: string | null): Client {
    const [baseUrl, options] = this.origin;
    return new Client(baseUrl, { ...options, token });
  }

  // Favorites

  /** Marks a message. Marking it again returns the same favorite. */
  addFavorite(input: wire.AddFavoriteInput, options?: CallOptions): Promise<wire.AddFavoriteOutput> {
    return this.post("/api/favorites/add", input, options);
  }

  /** Removes a message from the favorites. */
  removeFavorite(messageId: string, options?: CallOptions): Promise<void> {
    return this.call("DELETE", "/api/favorites/remove", { ...options, query: { message_id: messageId } });
  }

  /** Lists a page of the favorites, newest first. With a keyword, those whose text contains it. */
  favorites(query?: wire.FavoritesQuery, options?: CallOptions): Promise<wire.FavoritesOutput> {
    return this.get("/api/favorites/list", { ...options, query });
  }

  // The server

  /** Returns while the server is alive. */
  async health(options?: CallOptions): Promise<void> {
    await this.request("GET", "/healthz", options);
  }

  /** Returns while the server is ready for requests. */
  async ready(options?: CallOptions): Promise<void> {
    await this.request("GET", "/readyz", options);
  }
}
