package store

import (
	"context"
	"fmt"

	"parley/internal/db"
)

// Recount corrects wrong counters and returns how many accounts and sessions had one. Each row is locked first. So a
// server may be running.
func (s *Store) Recount(ctx context.Context) (int64, error) {
	ignore := func(int64) {}
	users, err := db.WriteEach(ctx, s.db,
		`SELECT u.id FROM users u WHERE u.id > $1 AND `+wrongUser+` ORDER BY u.id`, 0, s.recountUser, ignore)
	if err != nil {
		return users, fmt.Errorf("recount accounts: %w", err)
	}
	sessions, err := s.recountSessions(ctx)
	if err != nil {
		return users + sessions, fmt.Errorf("recount sessions: %w", err)
	}
	return users + sessions, nil
}

func (s *Store) recountUser(ctx context.Context, q db.Querier, id int64) error {
	if _, err := q.ExecContext(ctx, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), id); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `
		UPDATE users SET session_count = (SELECT count(*) FROM sessions WHERE user_id = $1),
		    archived_count = (SELECT count(*) FROM sessions WHERE user_id = $1 AND archived = 1),
		    favorite_count = (SELECT count(*) FROM messages WHERE user_id = $1 AND favorite_id IS NOT NULL)
		WHERE id = $1`, id)
	return err
}

// recountSessions recounts the sessions of one user after the other.
func (s *Store) recountSessions(ctx context.Context) (sessions int64, err error) {
	_, err = db.WriteEach(ctx, s.db,
		`SELECT s.user_id FROM sessions s WHERE s.user_id > $1 AND `+wrongSession+` GROUP BY s.user_id ORDER BY s.user_id`, 0,
		func(ctx context.Context, q db.Querier, userID int64) error {
			ids, err := db.List(ctx, q, db.ScanOne[string],
				`SELECT s.id FROM sessions s WHERE s.user_id = $1 AND `+wrongSession+` ORDER BY s.id`, userID)
			for _, id := range ids {
				if err == nil {
					err = s.recountSession(ctx, q, userID, id)
				}
			}
			sessions += int64(len(ids))
			return err
		}, func(int64) {})
	return sessions, err
}

func (s *Store) recountSession(ctx context.Context, q db.Querier, userID int64, id string) error {
	lock := `SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2` + s.db.ForUpdate()
	if _, err := q.ExecContext(ctx, lock, userID, id); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `
		UPDATE sessions AS s SET message_count = (SELECT count(*)`+visible+`),
		    last_message_at = COALESCE(`+lastMessage+`, 0), active_at = COALESCE(`+lastMessage+`, s.created_at)
		WHERE user_id = $1 AND id = $2`, userID, id)
	return err
}

// Reindex rebuilds the search index. Searches stay exact meanwhile, but are slower. It calls progress with the number
// of accounts that have their texts in the queue.
func (s *Store) Reindex(ctx context.Context, progress func(accounts int64)) error {
	return s.search.Rebuild(ctx, progress)
}
