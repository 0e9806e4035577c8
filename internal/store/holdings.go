package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
)

// Users lists up to most accounts whose ids are above after, in order of their ids.
func (s *Store) Users(ctx context.Context, after int64, most int) ([]parley.User, error) {
	users, err := readList(ctx, s, func(rows *sql.Rows) (parley.User, error) { return scanUser(rows) }, `
		SELECT `+userColumns+` FROM users u WHERE u.id > $1 ORDER BY u.id LIMIT CAST($2 AS BIGINT)`, after, most)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	return users, nil
}

// Holdings is what an account owns.
type Holdings struct {
	Logins    int64 `json:"logins"`
	Sessions  int64 `json:"sessions"`
	Messages  int64 `json:"messages"`
	Favorites int64 `json:"favorites"`
	Files     int64 `json:"files"`
	FileBytes int64 `json:"file_bytes"`
	// ActiveAt is when the account last began a session or sent a message, in Unix
	// seconds; 0 where it never did.
	ActiveAt int64 `json:"active_at"`
}

// Holdings counts what an account owns. One that does not exist is parley.ErrNoSuchUser.
func (s *Store) Holdings(ctx context.Context, userID int64, now time.Time) (Holdings, error) {
	var h Holdings
	err := s.readRow(ctx, func(row *sql.Row) error {
		return row.Scan(&h.Sessions, &h.Favorites, &h.Logins, &h.Messages, &h.ActiveAt, &h.Files, &h.FileBytes)
	}, `
		SELECT u.session_count, u.favorite_count,
		    (SELECT count(*) FROM tokens t WHERE t.user_id = u.id AND t.expires_at > $2),
		    (SELECT CAST(COALESCE(sum(message_count), 0) AS BIGINT) FROM sessions s WHERE s.user_id = u.id),
		    (SELECT COALESCE(max(active_at), 0) FROM sessions s WHERE s.user_id = u.id),
		    (SELECT count(*) FROM sessions s JOIN files f ON f.session_id = s.id WHERE s.user_id = u.id),
		    (SELECT CAST(COALESCE(sum(f.size), 0) AS BIGINT) FROM sessions s JOIN files f ON f.session_id = s.id WHERE s.user_id = u.id)
		FROM users u WHERE u.id = $1`, userID, micros(now))
	if errors.Is(err, sql.ErrNoRows) {
		return h, parley.ErrNoSuchUser
	}
	if err != nil {
		return h, fmt.Errorf("count what a user owns: %w", err)
	}
	h.ActiveAt = seconds(h.ActiveAt)
	return h, nil
}

// DisableUser keeps an account from logging in, from the given time on, and ends its
// logins. One that is disabled already stays so since when it was.
func (s *Store) DisableUser(ctx context.Context, userID int64, now time.Time) error {
	err := s.change(ctx,
		do(`UPDATE users SET disabled_at = $2 WHERE id = $1 AND disabled_at = 0`, userID, micros(now)),
		do(`DELETE FROM tokens WHERE user_id = $1`, userID))
	if err != nil {
		return fmt.Errorf("disable user: %w", err)
	}
	return nil
}

// EnableUser lets an account log in again.
func (s *Store) EnableUser(ctx context.Context, userID int64) error {
	if err := s.change(ctx, do(`UPDATE users SET disabled_at = 0 WHERE id = $1`, userID)); err != nil {
		return fmt.Errorf("enable user: %w", err)
	}
	return nil
}
