package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
)

// readers are SQLite's reading connections for statements that are over soon. Nothing
// interrupts them: to watch for that would cost more than most of them do.
type readers struct {
	queue
	db     *sql.DB
	served sync.WaitGroup
}

func newReaders(db *sql.DB, connections int) *readers {
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	r := &readers{queue: queue{jobs: make(chan *job)}, db: db}
	for range connections {
		r.served.Go(r.serve)
	}
	return r
}

func (r *readers) read(ctx context.Context, do func(context.Context, querier) error) error {
	return r.run(ctx, newJob(do))
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
		j.result <- protect(context.Background(), j.do, stmts)
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
	return errors.Join(r.db.Close())
}
