package store

import (
	"context"
	"errors"
	"fmt"

	"parley"
)

// repairBatch bounds how many rows a repair looks for at a time.
const repairBatch = 500

// Recount sets the counters that disagree with the rows they count, and returns how many
// accounts and sessions had one. Each row is locked first, as all who change what it
// counts do, so that a server may go on meanwhile.
func (s *Store) Recount(ctx context.Context) (int64, error) {
	users, err := repair(ctx, s, `SELECT u.id FROM users u WHERE u.id > $1 AND `+wrongUser+` ORDER BY u.id`, 0, func(ctx context.Context, q querier, id int64) error {
		if _, err := q.ExecContext(ctx, `SELECT 1 FROM users WHERE id = $1`+s.forUpdate(), id); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, `
			UPDATE users SET session_count = (SELECT count(*) FROM sessions WHERE user_id = $1),
			    favorite_count = (SELECT count(*) FROM messages WHERE user_id = $1 AND favorite_id IS NOT NULL)
			WHERE id = $1`, id)
		return err
	}, quietly)
	if err != nil {
		return users, fmt.Errorf("recount accounts: %w", err)
	}
	sessions, err := repair(ctx, s, `SELECT s.id FROM sessions s WHERE s.id > $1 AND `+wrongSession+` ORDER BY s.id`, "", func(ctx context.Context, q querier, id string) error {
		if _, err := q.ExecContext(ctx, `SELECT 1 FROM sessions WHERE id = $1`+s.forUpdate(), id); err != nil {
			return err
		}
		const last = `(SELECT created_at FROM messages WHERE session_id = $1 ORDER BY number DESC LIMIT 1)`
		_, err := q.ExecContext(ctx, `
			UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = $1),
			    last_message_at = COALESCE(`+last+`, 0), active_at = COALESCE(`+last+`, created_at)
			WHERE id = $1`, id)
		return err
	}, quietly)
	if err != nil {
		return users + sessions, fmt.Errorf("recount sessions: %w", err)
	}
	return users + sessions, nil
}

func quietly(int64) {}

// repair runs do, each in a transaction, on the ids that a query lists above $1, and
// says how many these were; progress is told after each.
func repair[ID int64 | string](
	ctx context.Context, s *Store, query string, after ID, do func(ctx context.Context, q querier, id ID) error, progress func(done int64),
) (n int64, err error) {
	for {
		var ids []ID
		if err := s.snapshot(ctx, func(ctx context.Context, q querier) (err error) {
			ids, err = list(ctx, q, scanOne[ID], query+fmt.Sprintf(` LIMIT %d`, repairBatch), after)
			return err
		}); err != nil {
			return n, err
		}
		for _, id := range ids {
			if err := s.write(ctx, func(ctx context.Context, q querier) error { return do(ctx, q, id) }); err != nil {
				return n, err
			}
			after = id
			n++
			progress(n)
		}
		if len(ids) < repairBatch {
			return n, nil
		}
	}
}

// Reindex makes the search index anew: it is emptied, and all texts are queued and
// indexed. Searches are exact all the time, but slower until it is done. progress is
// told how many sessions have been queued.
func (s *Store) Reindex(ctx context.Context, progress func(sessions int64)) error {
	_, err := repair(ctx, s, `SELECT id FROM sessions WHERE id > $1 ORDER BY id`, "", s.requeue, progress)
	if err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	if err := s.write(ctx, s.dropStrays); err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	for more := true; more; {
		if more, err = s.indexSome(ctx); err != nil {
			return err
		}
	}
	return nil
}

// requeue takes all texts of a session out of the index and into the queue. Those of an
// open turn come when it ends.
func (s *Store) requeue(ctx context.Context, q querier, sessionID string) error {
	var userID int64
	if err := q.QueryRowContext(ctx, `SELECT COALESCE((SELECT user_id FROM sessions WHERE id = $1), 0)`, sessionID).Scan(&userID); err != nil {
		return err
	}
	if err := s.lockSession(ctx, q, userID, sessionID); errors.Is(err, parley.ErrNoSuchSession) {
		return nil // deleted meanwhile
	} else if err != nil {
		return err
	}
	if err := s.dropFromIndex(ctx, q, `session_id = $1`, sessionID); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `
		INSERT INTO search_queue (user_id, session_id, number)
		SELECT user_id, id, 0 FROM sessions WHERE id = $1 AND title <> ''
		UNION ALL
		SELECT m.user_id, m.session_id, m.number FROM messages m WHERE m.session_id = $1
		AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = m.session_id AND t.redo = 0 AND m.number >= t.number - 1)
		ON CONFLICT DO NOTHING`, sessionID)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `
		DELETE FROM search_queue WHERE session_id = $1 AND number > 0
		AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = search_queue.session_id AND m.number = search_queue.number)`, sessionID)
	return err
}
