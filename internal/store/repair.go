package store

import (
	"context"
	"fmt"
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
// told of how many accounts the texts have been queued.
func (s *Store) Reindex(ctx context.Context, progress func(accounts int64)) error {
	if err := s.write(ctx, func(ctx context.Context, q querier) error {
		_, err := q.ExecContext(ctx, `DELETE FROM search_queue WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = user_id)`)
		return err
	}); err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	_, err := repair(ctx, s, `SELECT id FROM users WHERE id > $1 ORDER BY id`, 0, s.requeue, progress)
	if err != nil {
		return fmt.Errorf("rebuild the search index: %w", err)
	}
	for more := true; more; {
		if more, err = s.indexSome(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remakeIndex has a user's part of the search index made anew.
func (s *Store) remakeIndex(ctx context.Context, userID int64) error {
	defer s.wakeIndexer()
	return s.write(ctx, func(ctx context.Context, q querier) error { return s.requeue(ctx, q, userID) })
}

// requeue takes all texts of a user out of the index and into the queue. With the
// sessions locked none of them changes meanwhile.
func (s *Store) requeue(ctx context.Context, q querier, userID int64) error {
	if err := s.lockSessions(userID).run(ctx, q); err != nil {
		return err
	}
	if _, err := list(ctx, q, scanOne[int64], s.lockIndex(true), userID); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM search_queue WHERE user_id = $1`,
		`DELETE FROM search_blocks WHERE user_id = $1`,
		`INSERT INTO search_queue (user_id, session_id, number, stale) SELECT $1, t.session_id, t.number, 0 FROM (` + textNames + `) t`,
	} {
		if _, err := q.ExecContext(ctx, statement, userID); err != nil {
			return err
		}
	}
	return nil
}
