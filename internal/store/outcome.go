package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
)

// keepOutcome notes why a turn failed. Where its reply was being made anew and lives on,
// only those who watched the attempt are to hear of it.
func keepOutcome(t OpenTurn, reason *parley.Error, now time.Time) step {
	key := t.ReplyID
	if t.Redo {
		key = redoKey(t.ReplyID, t.Attempt)
	}
	return do(`
		INSERT INTO outcomes (message_id, user_id, code, kind, message, ended_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (message_id) DO NOTHING`,
		key, t.UserID, int64(reason.Code), int64(reason.Kind), reason.Message, micros(now))
}

func redoKey(replyID string, attempt int64) string { return fmt.Sprintf("%s.%d", replyID, attempt) }

// RedoOutcome is why a user's reply could not be made anew in an attempt; nil where
// there was no such attempt, or it did not fail.
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

// outcome is why a user's turn failed, or parley.ErrNoSuchMessage.
func (s *Store) outcome(ctx context.Context, userID int64, replyID string) error {
	var reason parley.Error
	err := s.readRow(ctx, func(row *sql.Row) error { return row.Scan(&reason.Code, &reason.Kind, &reason.Message) },
		`SELECT code, kind, message FROM outcomes WHERE message_id = $1 AND user_id = $2`, replyID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return parley.ErrNoSuchMessage
	}
	if err != nil {
		return fmt.Errorf("find outcome: %w", err)
	}
	return &reason
}

// Forget drops outcomes and idempotency keys from before the given time.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	err := s.change(ctx,
		do(`DELETE FROM outcomes WHERE ended_at < $1`, micros(before)),
		do(`DELETE FROM send_keys WHERE created_at < $1`, micros(before)))
	if err != nil {
		return fmt.Errorf("forget old outcomes: %w", err)
	}
	return nil
}
