package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley/internal/db"
)

// ErrKeyTaken is returned if another send had the same idempotency key.
var ErrKeyTaken = errors.New("the idempotency key is taken")

// SendKey is the send that an idempotency key is bound to.
type SendKey struct {
	Digest  string
	ReplyID string
}

// takeKey binds a send's idempotency key to its reply.
func takeKey(t NewTurn) db.Step {
	return db.Insert(ErrKeyTaken, `
		INSERT INTO send_keys (user_id, key, digest, session_id, message_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		t.UserID, t.Key, t.Digest, t.SessionID, t.ReplyID, micros(t.Now))
}

// FindKey returns the send that a user's idempotency key is bound to, and whether there is
// one.
func (s *Store) FindKey(ctx context.Context, userID int64, key string) (SendKey, bool, error) {
	var k SendKey
	err := s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&k.Digest, &k.ReplyID) },
		`SELECT digest, message_id FROM send_keys WHERE user_id = $1 AND key = $2`, userID, key)
	if errors.Is(err, sql.ErrNoRows) {
		return k, false, nil
	}
	if err != nil {
		return k, false, fmt.Errorf("find idempotency key: %w", err)
	}
	return k, true, nil
}
