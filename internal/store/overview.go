package store

import (
	"context"
	"database/sql"
	"fmt"

	"parley"
	"parley/internal/db"
)

// maxCounted bounds how far the texts that wait for the search index are counted.
const maxCounted = 100_000

// Overview counts what the server has, and what waits, for administrators. owner is this process. It sets the fields of
// the result that the database knows.
func (s *Store) Overview(ctx context.Context, owner string) (parley.Overview, error) {
	var o parley.Overview
	err := s.db.Snapshot(ctx, func(ctx context.Context, q db.Querier) (err error) {
		o = parley.Overview{}
		for _, count := range []struct {
			into  *int64
			query string
		}{
			{&o.Users, `SELECT count(*) FROM users`},
			{&o.Administrators, `SELECT count(*) FROM users WHERE admin = 1`},
			{&o.Files.Used, `SELECT ` + bytesOfFiles + ` FROM files`},
			{&o.Queues.Index, fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM search_queue LIMIT %d) q`, maxCounted)},
			{&o.Queues.Replies, `SELECT count(*) FROM turns`},
			{&o.Queues.Imports, `SELECT count(*) FROM imports WHERE ended_at = 0`},
		} {
			if err := q.QueryRowContext(ctx, count.query).Scan(count.into); err != nil {
				return err
			}
		}
		o.Replicas, err = db.List(ctx, q, func(rows *sql.Rows) (r parley.ReplicaState, err error) {
			err = rows.Scan(&r.ID, &r.LeaseUntil)
			r.LeaseUntil, r.Self = seconds(r.LeaseUntil), r.ID == owner
			return r, err
		}, `SELECT id, lease_until FROM owners WHERE lease_until > `+s.db.Now()+` ORDER BY id`)
		return err
	})
	if err != nil {
		return o, fmt.Errorf("count what the server has: %w", err)
	}
	o.Database, err = s.databaseState(ctx)
	return o, err
}

func (s *Store) databaseState(ctx context.Context) (state parley.DatabaseState, err error) {
	state.Kind = parley.DatabaseSQLite
	switch {
	case s.db.Distributed():
		state.Kind = parley.DatabaseCitus
	case s.db.Shared():
		state.Kind = parley.DatabasePostgreSQL
	}
	if state.Version, err = s.db.Version(ctx); err != nil {
		return state, fmt.Errorf("read the database's version: %w", err)
	}
	if state.Size, err = s.db.Size(ctx); err != nil {
		return state, fmt.Errorf("read the database's size: %w", err)
	}
	return state, nil
}
