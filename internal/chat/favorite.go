package chat

import (
	"context"
	"strings"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
)

// AddFavorite marks a message; marking it again gives the same favorite.
func (s *Service) AddFavorite(ctx context.Context, userID int64, in parley.AddFavoriteInput) (parley.AddFavoriteOutput, error) {
	if !id.Valid(in.SessionID) {
		return parley.AddFavoriteOutput{}, parley.ErrNoSuchSession
	}
	favoriteID, err := s.Store.AddFavorite(ctx, userID, in.SessionID, in.MessageID, id.New(), s.Now())
	return parley.AddFavoriteOutput{FavoriteID: favoriteID}, err
}

// RemoveFavorite takes the mark off a message.
func (s *Service) RemoveFavorite(ctx context.Context, userID int64, messageID string) error {
	if !id.Valid(messageID) {
		return parley.ErrNoSuchFavorite
	}
	return s.Store.RemoveFavorite(ctx, userID, messageID)
}

// Favorites reads a page of the user's favorites, newest first; with a keyword those
// whose text holds it.
func (s *Service) Favorites(ctx context.Context, userID int64, keyword string, page parley.Page) (parley.FavoritesOutput, error) {
	var out parley.FavoritesOutput
	var err error
	page = page.Clamp()
	if strings.TrimSpace(keyword) == "" {
		out.Favorites, out.Total, err = s.Store.Favorites(ctx, userID, page)
	} else {
		out.Favorites, out.Total, err = s.Store.FindFavorites(ctx, userID, casefold.Key(keyword), page)
	}
	for i := range out.Favorites {
		out.Favorites[i].SessionTitle = shownTitle(out.Favorites[i].SessionTitle)
	}
	return out, err
}
