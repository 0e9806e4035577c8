package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
)

// keepOutcome notes why a turn failed.
func keepOutcome(ctx context.Context, q querier, t OpenTurn, reason *parley.Error, now time.Time) error {
	_, err := q.ExecContext(ctx, `
		INSERT INTO outcomes (message_id, user_id, code, kind, message, ended_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (message_id) DO NOTHING`,
		t.ReplyID, t.UserID, int64(reason.Code), int64(reason.Kind), reason.Message, micros(now))
	return err
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
	err := s.write(ctx, func(ctx context.Context, q querier) error {
		if _, err := q.ExecContext(ctx, `DELETE FROM outcomes WHERE ended_at < $1`, micros(before)); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `DELETE FROM send_keys WHERE created_at < $1`, micros(before))
		return err
	})
	if err != nil {
		return fmt.Errorf("forget old outcomes: %w", err)
	}
	return nil
}
