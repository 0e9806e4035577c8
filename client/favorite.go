package client

import (
	"context"
	"net/http"
	"net/url"

	"parley"
)

// AddFavorite marks a message. Marking it again returns the same favorite.
func (c *Client) AddFavorite(ctx context.Context, in parley.AddFavoriteInput) (out parley.AddFavoriteOutput,
	err error,
) {
	err = c.do(ctx, http.MethodPost, "/api/favorites/add", in, &out)
	return out, err
}

// RemoveFavorite removes a message from the favorites.
func (c *Client) RemoveFavorite(ctx context.Context, messageID string) error {
	query := url.Values{"message_id": {messageID}}
	return c.do(ctx, http.MethodDelete, "/api/favorites/remove?"+query.Encode(), nil, nil)
}

// Favorites lists a page of the favorites, newest first. With a keyword it lists those with the keyword in the text.
// The zero page is the server's default.
func (c *Client) Favorites(ctx context.Context, keyword string, page parley.Page) (out parley.FavoritesOutput,
	err error,
) {
	err = c.do(ctx, http.MethodGet, withPage("/api/favorites/list", page, keywordQuery(keyword)), nil, &out)
	return out, err
}
