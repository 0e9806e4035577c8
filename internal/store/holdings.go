package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
)

// Holdings is what an account owns.
type Holdings struct {
	Logins    int64 `json:"logins"`
	Keys      int64 `json:"keys"`
	Sessions  int64 `json:"sessions"`
	Messages  int64 `json:"messages"`
	Favorites int64 `json:"favorites"`
	Files     int64 `json:"files"`
	FileBytes int64 `json:"file_bytes"`
	// Quota is the account's own quota, or empty.
	Quota string `json:"quota,omitempty"`
	// ActiveAt is when the account last created a session or sent a message, in Unix
	// seconds, or 0.
	ActiveAt int64 `json:"active_at"`
}

// Holdings counts what an account owns, or returns parley.ErrNoSuchUser.
func (s *Store) Holdings(ctx context.Context, userID int64, now time.Time) (Holdings, error) {
	var h Holdings
	err := s.db.ReadRow(ctx, func(row *sql.Row) error {
		return row.Scan(&h.Sessions, &h.Favorites, &h.Logins, &h.Keys, &h.Messages, &h.ActiveAt, &h.Files,
			&h.FileBytes, &h.Quota)
	}, `
		SELECT u.session_count, u.favorite_count,
		    (SELECT count(*) FROM tokens t WHERE t.user_id = u.id AND t.expires_at > $2),
		    (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id AND (k.expires_at = 0 OR k.expires_at > $2)),
		    (SELECT CAST(COALESCE(sum(message_count), 0) AS BIGINT) FROM sessions s WHERE s.user_id = u.id),
		    (SELECT COALESCE(max(active_at), 0) FROM sessions s WHERE s.user_id = u.id),
		    (SELECT count(*) FROM files f WHERE f.user_id = u.id),
		    (SELECT `+bytesOfFiles+` FROM files f WHERE f.user_id = u.id),
		    u.quota
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
