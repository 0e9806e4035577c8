package db

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// readers is a pool of read-only connections of SQLite.
type readers struct {
	queue
	pool   *sql.DB
	served sync.WaitGroup
}

func openReaders(file string, connections int) (*readers, error) {
	pool, err := sql.Open("sqlite", sqliteDSN(file, "_query_only=1"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	pool.SetMaxOpenConns(connections)
	r := &readers{queue: queue{jobs: make(chan *job)}, pool: pool}
	for range connections {
		r.served.Go(r.serve)
	}
	return r, nil
}

// Read runs do on a connection. It is not interrupted once it has begun: watching ctx would
// cost more than most reads.
func (r *readers) Read(ctx context.Context, do Func) error {
	return r.run(ctx, newJob(do))
}

// readAll runs do in a transaction, and interrupts it if ctx ends.
func (r *readers) readAll(ctx context.Context, do Func) error {
	j := newJob(func(ctx context.Context, q Querier) error {
		if _, err := q.ExecContext(ctx, `BEGIN`); err != nil {
			return err
		}
		defer q.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) //nolint:errcheck // nothing was written
		return do(ctx, q)
	})
	j.ctx = ctx
	return r.run(ctx, j)
}

// serve runs jobs on one connection, which is opened for the first job.
func (r *readers) serve() {
	var conn *sql.Conn
	var stmts *statements
	for j := range r.jobs {
		if !j.take() {
			continue
		}
		if conn == nil {
			opened, err := r.pool.Conn(context.Background())
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
		_ = conn.Close() // the pool is closed next
	}
}

// stop waits for running jobs and closes the connections.
func (r *readers) stop() error {
	if !r.end() {
		return nil
	}
	r.served.Wait()
	return r.pool.Close()
}
