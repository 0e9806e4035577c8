package store

import (
	"context"
	"fmt"

	"parley/internal/db"
)

// Recount sets the counters that are wrong and returns how many accounts and sessions had
// one. Each row is locked first, so that a server may be running.
func (s *Store) Recount(ctx context.Context) (int64, error) {
	ignore := func(int64) {}
	users, err := db.WriteEach(ctx, s.db,
		`SELECT u.id FROM users u WHERE u.id > $1 AND `+wrongUser+` ORDER BY u.id`, 0, s.recountUser, ignore)
	if err != nil {
		return users, fmt.Errorf("recount accounts: %w", err)
	}
	sessions, err := db.WriteEach(ctx, s.db,
		`SELECT s.id FROM sessions s WHERE s.id > $1 AND `+wrongSession+` ORDER BY s.id`, "", s.recountSession, ignore)
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
		    favorite_count = (SELECT count(*) FROM messages WHERE user_id = $1 AND favorite_id IS NOT NULL)
		WHERE id = $1`, id)
	return err
}

func (s *Store) recountSession(ctx context.Context, q db.Querier, id string) error {
	if _, err := q.ExecContext(ctx, `SELECT 1 FROM sessions WHERE id = $1`+s.db.ForUpdate(), id); err != nil {
		return err
	}
	const last = `(SELECT created_at FROM messages WHERE session_id = $1 ORDER BY number DESC LIMIT 1)`
	_, err := q.ExecContext(ctx, `
		UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = $1),
		    last_message_at = COALESCE(`+last+`, 0), active_at = COALESCE(`+last+`, created_at)
		WHERE id = $1`, id)
	return err
}

// Reindex rebuilds the search index. Searches stay exact meanwhile, but are slower. It calls
// progress with the number of accounts whose texts are queued.
func (s *Store) Reindex(ctx context.Context, progress func(accounts int64)) error {
	return s.search.Rebuild(ctx, progress)
}
