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
) (*List[parley.Favorite], error) {
	page = page.Clamp()
	key := ""
	if strings.TrimSpace(keyword) != "" {
		key = casefold.Key(keyword)
	}
	return newList(ctx, func(ctx context.Context) ([]parley.Favorite, int64, reader[parley.Favorite], error) {
		batch, total, err := s.firstFavorites(ctx, userID, key, page)
		skip, _ := page.Skip()
		return s.favorites(favoriteRange{userID, key, min(page.Size, total-skip)}, batch, total, err)
	})
}

// favoriteRange is a range of the favorites of a user.
type favoriteRange struct {
	userID int64
	key    string // of the keyword; empty without one
	size   int64
}

// favorites returns a batch at the beginning of a range, and what reads the rest.
func (s *Service) favorites(
	r favoriteRange, batch []parley.Favorite, total int64, err error,
) ([]parley.Favorite, int64, reader[parley.Favorite], error) {
	if err != nil {
		return nil, 0, nil, err
	}
	for i := range batch {
		batch[i].SessionTitle = ShownTitle(batch[i].SessionTitle)
	}
	r.size -= int64(len(batch))
	if len(batch) == 0 || r.size <= 0 {
		return batch, total, nil, nil
	}
	previous := batch[len(batch)-1]
	limit := min(2*int64(len(batch)), r.size, parley.MaxPageSize) // as for messages
	return batch, total, func(ctx context.Context) ([]parley.Favorite, int64, reader[parley.Favorite], error) {
		if r.key != "" { // the total needs another look at all favorites
			batch, err := s.store.FindFavoritesAfter(ctx, r.userID, r.key, previous, limit)
			return s.favorites(r, batch, total, err)
		}
		batch, total, err := s.store.FavoritesAfter(ctx, r.userID, previous, limit)
		return s.favorites(r, batch, total, err)
	}, nil
}

// AllFavorites returns the list of all favorites of a user, newest first.
func (s *Service) AllFavorites(ctx context.Context, userID int64) (*List[parley.Favorite], error) {
	page := parley.Page{Number: 1, Size: parley.MaxPageSize}
	return newList(ctx, func(ctx context.Context) ([]parley.Favorite, int64, reader[parley.Favorite], error) {
		batch, total, err := s.firstFavorites(ctx, userID, "", page)
		return s.favorites(favoriteRange{userID, "", total}, batch, total, err)
	})
}

func (s *Service) firstFavorites(
	ctx context.Context, userID int64, key string, page parley.Page,
) ([]parley.Favorite, int64, error) {
	if key == "" {
		return s.store.Favorites(ctx, userID, page)
	}
	return s.store.FindFavorites(ctx, userID, key, page)
}
