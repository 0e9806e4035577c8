package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
)

// A favorite is a mark on its message's row: it goes when the message goes, and a
// page of messages needs no second look to show it.

// AddFavorite marks a message of a user's session and returns the mark's id: newID,
// or the one it has already. The message must be in the session, else
// parley.ErrNotFavorable; the session must be the user's, else parley.ErrNoSuchSession.
func (s *Store) AddFavorite(ctx context.Context, userID int64, sessionID, messageID, newID string, now time.Time) (string, error) {
	var id string
	err := s.write(ctx, func(ctx context.Context, q querier) error {
		if err := s.lockSession(ctx, q, userID, sessionID); err != nil {
			return err
		}
		err := q.QueryRowContext(ctx, `
			UPDATE messages SET favorite_id = COALESCE(favorite_id, $3), favorited_at = COALESCE(favorited_at, $4)
			WHERE id = $1 AND session_id = $2
			RETURNING favorite_id`, messageID, sessionID, newID, micros(now)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return parley.ErrNotFavorable
		}
		if err != nil || id != newID {
			return err
		}
		_, err = q.ExecContext(ctx, `UPDATE users SET favorite_count = favorite_count + 1 WHERE id = $1`, userID)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("add favorite: %w", err)
	}
	return id, nil
}

// RemoveFavorite takes the mark off a user's message, else parley.ErrNoSuchFavorite.
func (s *Store) RemoveFavorite(ctx context.Context, userID int64, messageID string) error {
	err := s.write(ctx, func(ctx context.Context, q querier) error {
		var sessionID string
		err := q.QueryRowContext(ctx, `SELECT session_id FROM messages WHERE id = $1 AND user_id = $2`, messageID, userID).Scan(&sessionID)
		if errors.Is(err, sql.ErrNoRows) {
			return parley.ErrNoSuchFavorite
		}
		if err != nil {
			return err
		}
		err = s.lockSession(ctx, q, userID, sessionID)
		if errors.Is(err, parley.ErrNoSuchSession) { // deleted meanwhile
			return parley.ErrNoSuchFavorite
		}
		if err != nil {
			return err
		}
		n, err := exec(ctx, q, `
			UPDATE messages SET favorite_id = NULL, favorited_at = NULL
			WHERE id = $1 AND favorite_id IS NOT NULL`, messageID)
		if err != nil {
			return err
		}
		if n == 0 {
			return parley.ErrNoSuchFavorite
		}
		_, err = q.ExecContext(ctx, `UPDATE users SET favorite_count = favorite_count - 1 WHERE id = $1`, userID)
		return err
	})
	if err != nil {
		return fmt.Errorf("remove favorite: %w", err)
	}
	return nil
}

const favoriteColumns = `m.favorite_id, m.id, m.content, s.title, m.favorited_at, m.session_id, m.number`

// Favorites reads a page of a user's favorites, newest first, and their number.
func (s *Store) Favorites(ctx context.Context, userID int64, page parley.Page) ([]parley.Favorite, int64, error) {
	skip, ok := page.Skip()
	if !ok {
		page.Size = 0
	}
	var favorites []parley.Favorite
	var total int64
	err := s.snapshot(ctx, func(ctx context.Context, q querier) (err error) {
		err = q.QueryRowContext(ctx, `SELECT favorite_count FROM users WHERE id = $1`, userID).Scan(&total)
		if err != nil && !errors.Is(err, sql.ErrNoRows) { // without its user a list is empty
			return err
		}
		favorites, err = list(ctx, q, scanFavorite, `
			SELECT `+favoriteColumns+`
			FROM messages m JOIN sessions s ON s.id = m.session_id
			WHERE m.user_id = $1 AND m.favorite_id IS NOT NULL
			ORDER BY m.favorited_at DESC, m.favorite_id DESC LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)`, userID, page.Size, skip)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list favorites: %w", err)
	}
	return favorites, total, nil
}

func scanFavorite(rows *sql.Rows) (f parley.Favorite, err error) {
	err = rows.Scan(&f.ID, &f.MessageID, &f.Content, &f.SessionTitle, &f.CreatedAt, &f.SessionID, &f.Number)
	f.CreatedAt = seconds(f.CreatedAt)
	return f, err
}
