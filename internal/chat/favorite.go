package chat

import (
	"context"
	"strings"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
)

// AddFavorite marks a message. Marking it again returns the same favorite.
func (s *Service) AddFavorite(
	ctx context.Context, userID int64, in parley.AddFavoriteInput,
) (parley.AddFavoriteOutput, error) {
	if !id.Valid(in.SessionID) {
		return parley.AddFavoriteOutput{}, parley.ErrNoSuchSession
	}
	favoriteID, err := s.store.AddFavorite(ctx, userID, in.SessionID, in.MessageID, id.New(), s.now())
	return parley.AddFavoriteOutput{FavoriteID: favoriteID}, err
}

// RemoveFavorite removes the mark of a message.
func (s *Service) RemoveFavorite(ctx context.Context, userID int64, messageID string) error {
	if !id.Valid(messageID) {
		return parley.ErrNoSuchFavorite
	}
	return s.store.RemoveFavorite(ctx, userID, messageID)
}

// Favorites returns a page of the user's favorites, newest first. With a keyword it returns those that contain it.
func (s *Service) Favorites(
	ctx context.Context, userID int64, keyword string, page parley.Page,
) (parley.FavoritesOutput, error) {
	var out parley.FavoritesOutput
	var err error
	page = page.Clamp()
	if strings.TrimSpace(keyword) == "" {
		out.Favorites, out.Total, err = s.store.Favorites(ctx, userID, page)
	} else {
		out.Favorites, out.Total, err = s.store.FindFavorites(ctx, userID, casefold.Key(keyword), page)
	}
	for i := range out.Favorites {
		out.Favorites[i].SessionTitle = shownTitle(out.Favorites[i].SessionTitle)
	}
	return out, err
}
