package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// readers are reading connections of SQLite.
type readers struct {
	queue
	db     *sql.DB
	served sync.WaitGroup
}

func openReaders(file string, connections int) (*readers, error) {
	db, err := sql.Open("sqlite", sqliteDSN(file, "_query_only=1"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	db.SetMaxOpenConns(connections)
	r := &readers{queue: queue{jobs: make(chan *job)}, db: db}
	for range connections {
		r.served.Go(r.serve)
	}
	return r, nil
}

// read is for what is over soon. Nothing interrupts it: to watch for that would cost more
// than most reads do.
func (r *readers) read(ctx context.Context, do func(context.Context, querier) error) error {
	return r.run(ctx, newJob(do))
}

// readAll reads one state of the database for as long as it takes, or until ctx ends.
func (r *readers) readAll(ctx context.Context, do func(context.Context, querier) error) error {
	j := newJob(func(ctx context.Context, q querier) error {
		if _, err := q.ExecContext(ctx, `BEGIN`); err != nil {
			return err
		}
		defer q.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) //nolint:errcheck // nothing was written
		return do(ctx, q)
	})
	j.ctx = ctx
	return r.run(ctx, j)
}

// serve works on one connection, which is opened for the first job.
func (r *readers) serve() {
	var conn *sql.Conn
	var stmts *statements
	for j := range r.jobs {
		if !j.take() {
			continue
		}
		if conn == nil {
			opened, err := r.db.Conn(context.Background())
			if err != nil {
				j.result <- fmt.Errorf("open a reading connection: %w", err)
				continue
			}
			conn, stmts = opened, &statements{on: opened}
		}
		ctx := j.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		j.result <- protect(ctx, j.do, stmts)
	}
	if conn != nil {
		stmts.close()
		_ = conn.Close() // it goes back to a pool that is closed next
	}
}

// stop waits for what is being read and closes the connections.
func (r *readers) stop() error {
	if !r.end() {
		return nil
	}
	r.served.Wait()
	return r.db.Close()
}
