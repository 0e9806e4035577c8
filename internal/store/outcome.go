package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// addOutcome stores why a turn failed.
func addOutcome(t Turn, key string, reason *parley.Error, now time.Time) db.Step {
	return db.Do(`
		INSERT INTO outcomes (user_id, message_id, code, kind, message, ended_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, message_id) DO NOTHING`,
		t.UserID, key, int64(reason.Code), int64(reason.Kind), reason.Message, micros(now))
}

func redoKey(replyID string, attempt int64) string { return fmt.Sprintf("%s.%d", replyID, attempt) }

// RedoOutcome returns why an attempt at a user's reply failed, if the reply still exists. It is nil if
// there was no such attempt, or if it did not fail.
func (s *Store) RedoOutcome(ctx context.Context, userID int64, replyID string, attempt int64) (*parley.Error, error) {
	err := s.outcome(ctx, userID, redoKey(replyID, attempt))
	var reason *parley.Error
	switch {
	case errors.Is(err, parley.ErrNoSuchMessage):
		return nil, nil
	case errors.As(err, &reason):
		return reason, nil
	}
	return nil, err
}

// outcome returns why a user's turn failed, or parley.ErrNoSuchMessage.
func (s *Store) outcome(ctx context.Context, userID int64, replyID string) error {
	var code parley.Code
	var kind parley.Kind
	var message string
	err := s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&code, &kind, &message) },
		`SELECT code, kind, message FROM outcomes WHERE user_id = $1 AND message_id = $2`, userID, replyID)
	if errors.Is(err, sql.ErrNoRows) {
		return parley.ErrNoSuchMessage
	}
	if err != nil {
		return fmt.Errorf("find outcome: %w", err)
	}
	return parley.Stored(code, kind, message)
}

// Forget deletes outcomes and idempotency keys from before the given time.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	err := s.db.Change(ctx,
		db.Do(`DELETE FROM outcomes WHERE ended_at < $1`, micros(before)),
		db.Do(`DELETE FROM send_keys WHERE created_at < $1`, micros(before)))
	if err != nil {
		return fmt.Errorf("forget old outcomes: %w", err)
	}
	return nil
}
