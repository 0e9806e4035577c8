package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley"
	"parley/internal/casefold"
	"parley/internal/db"
)

// A message belongs to one user, so it has at most one favorite, which is two columns of its row: it is deleted with
// the message, can't exist twice, and a page of messages needs no join for it. If sessions are ever shared between
// users, favorites need a table. The versions of a reply share their id, and one of them has the favorite of all.

// AddFavorite marks a message of a user's session and returns the mark's id: newID, or the
// one that it has already. It returns parley.ErrNoSuchSession if the session is not the
// user's, parley.ErrTemporaryFavorite if it is temporary, and parley.ErrNotInSession if the message is not in it.
func (s *Store) AddFavorite(
	ctx context.Context, userID int64, sessionID, messageID, newID string, now time.Time,
) (string, error) {
	var id string
	err := s.db.Change(ctx,
		s.lockSession(userID, sessionID, parley.ErrNoSuchSession),
		requireLasting(parley.ErrTemporaryFavorite, userID, sessionID),
		db.Require(parley.ErrNotInSession, `
			UPDATE messages SET favorite_id = COALESCE(favorite_id, $3), favorited_at = COALESCE(favorited_at, $4)
			WHERE user_id = $5 AND session_id = $2 AND id = $1 AND branch = (
			    SELECT m.branch FROM messages m WHERE m.user_id = $5 AND m.id = $1
			    ORDER BY CASE WHEN m.favorite_id IS NULL THEN 1 ELSE 0 END, m.branch LIMIT 1)
			RETURNING favorite_id`, messageID, sessionID, newID, micros(now), userID).Into(&id),
		db.Do(`UPDATE users SET favorite_count = favorite_count + 1
			WHERE id = $1 AND EXISTS (SELECT 1 FROM messages WHERE user_id = $1 AND id = $2 AND favorite_id = $3)`,
			userID, messageID, newID))
	if err != nil {
		return "", fmt.Errorf("add favorite: %w", err)
	}
	return id, nil
}

// RemoveFavorite removes the mark of a user's message, or returns parley.ErrNoSuchFavorite.
func (s *Store) RemoveFavorite(ctx context.Context, userID int64, messageID string) error {
	err := s.db.Change(ctx,
		db.Require(parley.ErrNoSuchFavorite, `
			SELECT 1 FROM sessions WHERE user_id = $1
			AND id = (SELECT session_id FROM messages WHERE user_id = $1 AND id = $2 LIMIT 1)`+s.db.ForUpdate(),
			userID, messageID).Into(new(int)),
		db.Require(parley.ErrNoSuchFavorite, `
			UPDATE messages SET favorite_id = NULL, favorited_at = NULL
			WHERE user_id = $1 AND id = $2 AND favorite_id IS NOT NULL`, userID, messageID),
		db.Do(`UPDATE users SET favorite_count = favorite_count - 1 WHERE id = $1`, userID))
	if err != nil {
		return fmt.Errorf("remove favorite: %w", err)
	}
	return nil
}

// favoriteColumns are the columns of favorite m in session s, of user $1. If there are versions, it is the text of the
// visible one, or else of the newest, which ShowVersion makes visible.
var favoriteColumns = `m.favorite_id, m.id,
	CASE WHEN s.branches = 0 THEN m.content ELSE COALESCE((SELECT v.content` + visibleVersion + `),
	    (SELECT v.content` + allVersions + ` ORDER BY v.branch DESC LIMIT 1)) END,
	s.title, m.favorited_at, m.session_id, m.number,
	s.branches > 0 AND NOT EXISTS (SELECT 1` + visibleVersion + `)`

const allVersions = ` FROM messages v WHERE v.user_id = $1 AND v.id = m.id`

var visibleVersion = allVersions + ` AND v.branch = ` + branchAt(`v.number`, `$1`)

// Favorites returns a page of a user's favorites, newest first, and their total. If it has
// more than MaxBatch bytes of text, only its first favorites are returned: as many as fit,
// but at least one. FavoritesAfter returns the next.
func (s *Store) Favorites(ctx context.Context, userID int64, page parley.Page) ([]parley.Favorite, int64, error) {
	skip, size := pageRange(page)
	return s.favorites(ctx, "", "", userID, size, skip)
}

// FavoritesAfter returns up to limit favorites that follow previous, bounded like a page.
// It returns parley.ErrNoSuchFavorite if previous was removed.
func (s *Store) FavoritesAfter(
	ctx context.Context, userID int64, previous parley.Favorite, limit int64,
) ([]parley.Favorite, int64, error) {
	const place = `(SELECT favorited_at, favorite_id FROM messages WHERE user_id = $1 AND id = $4 AND favorite_id = $5)`
	return s.favorites(ctx, ` AND (favorited_at, favorite_id) < `+place, ` AND EXISTS `+place,
		userID, limit, 0, previous.MessageID, previous.ID)
}

// favorites runs the query of a list with a condition for each favorite and one for all of them.
func (s *Store) favorites(
	ctx context.Context, condition, unchanged string, args ...any,
) ([]parley.Favorite, int64, error) {
	total := int64(-1)
	var batch batch
	// Every row has the total, which keeps the page and the total consistent. If the page is empty, there is one row with
	// nothing but the total. The page is chosen in the index: rows before it are not read.
	favorites, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (f parley.Favorite, err error) {
		var id, messageID, content, title, sessionID sql.NullString
		var at, number sql.NullInt64
		var aside sql.NullBool
		err = rows.Scan(&total, &id, &messageID, &content, &title, &at, &sessionID, &number, &aside)
		if err == nil && !batch.add(len(content.String)) {
			err = db.ErrStop
		}
		return parley.Favorite{
			ID: id.String, MessageID: messageID.String, Content: content.String, SessionTitle: title.String,
			CreatedAt: seconds(at.Int64), SessionID: sessionID.String, Number: number.Int64, Aside: aside.Bool,
		}, err
	}, `
		SELECT u.favorite_count, `+favoriteColumns+`
		FROM users u
		LEFT JOIN (
		    SELECT favorited_at, favorite_id FROM messages WHERE user_id = $1 AND favorite_id IS NOT NULL`+condition+`
		    ORDER BY favorited_at DESC, favorite_id DESC LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)) f ON u.id = $1
		LEFT JOIN messages m ON m.user_id = $1
		    AND m.favorited_at = f.favorited_at AND m.favorite_id = f.favorite_id AND m.favorite_id IS NOT NULL
		LEFT JOIN sessions s ON s.user_id = $1 AND s.id = m.session_id
		WHERE u.id = $1`+unchanged+`
		ORDER BY f.favorited_at DESC, f.favorite_id DESC`, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list favorites: %w", err)
	}
	if total < 0 && unchanged != "" {
		return nil, 0, parley.ErrNoSuchFavorite
	}
	if len(favorites) == 1 && favorites[0].ID == "" {
		favorites = favorites[:0]
	}
	return favorites, max(total, 0), nil
}

func scanFavorite(rows *sql.Rows) (f parley.Favorite, err error) {
	err = rows.Scan(&f.ID, &f.MessageID, &f.Content, &f.SessionTitle, &f.CreatedAt, &f.SessionID, &f.Number, &f.Aside)
	f.CreatedAt = seconds(f.CreatedAt)
	return f, err
}

// FindFavorites returns a page of the user's favorites that contain a keyword, newest
// first, and their total. The keyword is given as its casefold.Key. The page is bounded
// like one of Favorites. It returns parley.ErrOverloaded if the user has too many searches
// running.
func (s *Store) FindFavorites(
	ctx context.Context, userID int64, key string, page parley.Page,
) ([]parley.Favorite, int64, error) {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return nil, 0, fmt.Errorf("find favorites: %w", err)
	}
	defer s.searches.Release(userID)
	skip, size := pageRange(page)
	var found []parley.Favorite
	var total int64
	err := s.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
		found, total = []parley.Favorite{}, 0
		var batch batch
		full := false
		return eachMatch(ctx, q, key, func(favorite parley.Favorite) bool {
			if total >= skip && total < skip+size && !full {
				if full = !batch.add(len(favorite.Content)); !full {
					found = append(found, favorite)
				}
			}
			total++
			return true
		}, "", userID)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("find favorites: %w", err)
	}
	return found, total, nil
}

// FindFavoritesAfter returns up to limit matches that follow previous, bounded like a page.
// It returns parley.ErrNoSuchFavorite if previous was removed.
func (s *Store) FindFavoritesAfter(
	ctx context.Context, userID int64, key string, previous parley.Favorite, limit int64,
) ([]parley.Favorite, error) {
	if err := s.searches.Acquire(ctx, userID); err != nil {
		return nil, fmt.Errorf("find favorites: %w", err)
	}
	defer s.searches.Release(userID)
	var found []parley.Favorite
	err := s.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) error {
		const place = `(SELECT favorited_at, favorite_id FROM messages WHERE user_id = $1 AND id = $2 AND favorite_id = $3)`
		args := []any{userID, previous.MessageID, previous.ID}
		var there bool
		if err := q.QueryRowContext(ctx, `SELECT EXISTS `+place, args...).Scan(&there); err != nil {
			return err
		}
		if !there {
			return parley.ErrNoSuchFavorite
		}
		found = []parley.Favorite{}
		var batch batch
		return eachMatch(ctx, q, key, func(favorite parley.Favorite) bool {
			if !batch.add(len(favorite.Content)) {
				return false
			}
			found = append(found, favorite)
			return int64(len(found)) < limit
		}, ` AND (m.favorited_at, m.favorite_id) < `+place, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("find favorites: %w", err)
	}
	return found, nil
}

// eachMatch calls found for the user's favorites that contain a keyword, newest first,
// until it returns false.
func eachMatch(
	ctx context.Context, q db.Querier, key string, found func(parley.Favorite) bool, condition string, args ...any,
) error {
	return db.Each(ctx, q, func(rows *sql.Rows) error {
		favorite, err := scanFavorite(rows)
		if err == nil && casefold.Contains(favorite.Content, key) && !found(favorite) {
			return db.ErrStop
		}
		return err
	}, `
		SELECT `+favoriteColumns+`
		FROM messages m JOIN sessions s ON s.user_id = m.user_id AND s.id = m.session_id
		WHERE m.user_id = $1 AND m.favorite_id IS NOT NULL`+condition+`
		ORDER BY m.favorited_at DESC, m.favorite_id DESC`, args...)
}
