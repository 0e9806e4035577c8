package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
)

// maxGroup bounds how many transactions one commit carries, and so how long the
// first of them waits.
const maxGroup = 256

// writer is SQLite's one writing connection. Transactions that wait while a commit
// is under way go into the next one together, so one fsync serves them all. It runs on a context of its own: cancelling a statement
// inside a group would roll back everybody's work.
type writer struct {
	queue
	db    *sql.DB
	conn  *sql.Conn
	stmts *statements
	next  *job // came while a group was gathered that it can't be part of
	done  chan struct{}
}

// newWriter starts a writer on a database that prepare has looked at first.
func newWriter(ctx context.Context, db *sql.DB, prepare func(context.Context, *sql.DB) error) (*writer, error) {
	db.SetMaxOpenConns(1)
	if err := prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	w := &writer{
		queue: queue{jobs: make(chan *job, maxGroup)},
		db:    db, conn: conn, stmts: &statements{on: conn}, done: make(chan struct{}),
	}
	go w.serve()
	return w, nil
}

// write runs do in a transaction and waits until it is committed.
func (w *writer) write(ctx context.Context, do func(context.Context, querier) error) error {
	return w.run(ctx, newJob(do))
}

// writeAlone is write in a transaction that is shared with nobody.
func (w *writer) writeAlone(ctx context.Context, do func(context.Context, querier) error) error {
	j := newJob(do)
	j.alone = true
	return w.run(ctx, j)
}

// stop commits what is queued and closes the connection.
func (w *writer) stop() error {
	if !w.end() {
		return nil
	}
	<-w.done
	w.stmts.close()
	return errors.Join(w.conn.Close(), w.db.Close())
}

func (w *writer) serve() {
	defer close(w.done)
	group := make([]*job, 0, maxGroup)
	for j := range w.jobs {
		runtime.Gosched() // so that all who are about to write share the commit
		for ; j != nil; j = w.next {
			w.next = nil
			group = w.commit(j, group[:0])
			for _, j := range group {
				j.result <- j.err
			}
		}
	}
}

// commit runs first and whatever else waits in one transaction, and returns the
// jobs that it ran with their outcomes.
func (w *writer) commit(first *job, group []*job) []*job {
	ctx := context.Background()
	if _, err := w.stmts.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return fail(append(group, first), fmt.Errorf("begin: %w", err))
	}
	for j := first; j != nil; j = w.waiting(first, len(group)) {
		if !j.take() {
			continue
		}
		group = append(group, j)
		if j.err = protect(ctx, j.do, w.stmts); j.err != nil {
			w.rollback(ctx)
			if len(group) == 1 { // nobody else's work is lost
				return group
			}
			return w.commitApart(ctx, group)
		}
	}
	return w.finish(ctx, group)
}

// commitApart runs a group again of which one has failed, each in a savepoint, so that
// the failure of one undoes only its own work. Savepoints cost about as much as the
// jobs themselves and few jobs fail, so a group is tried without them first.
func (w *writer) commitApart(ctx context.Context, group []*job) []*job {
	if _, err := w.stmts.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return fail(group, fmt.Errorf("begin: %w", err))
	}
	for _, j := range group {
		if err := w.savepoint(ctx, j); err != nil {
			w.rollback(ctx)
			return fail(group, err)
		}
	}
	return w.finish(ctx, group)
}

// finish commits a group that has run.
func (w *writer) finish(ctx context.Context, group []*job) []*job {
	if _, err := w.stmts.ExecContext(ctx, `COMMIT`); err != nil {
		w.rollback(ctx)
		return fail(group, fmt.Errorf("commit: %w", err))
	}
	return group
}

// waiting takes the next job of a group without waiting for one.
func (w *writer) waiting(first *job, size int) *job {
	if first.alone || size >= maxGroup {
		return nil
	}
	select {
	case j := <-w.jobs:
		if j != nil && j.alone {
			w.next = j
			return nil
		}
		return j
	default:
		return nil
	}
}

// savepoint runs one job so that its failure undoes only its own work. The error it
// returns is one that ended the whole transaction.
func (w *writer) savepoint(ctx context.Context, j *job) error {
	if _, err := w.stmts.ExecContext(ctx, `SAVEPOINT job`); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	j.err = protect(ctx, j.do, w.stmts)
	if j.err != nil {
		if _, err := w.stmts.ExecContext(ctx, `ROLLBACK TO job`); err != nil {
			return fmt.Errorf("the transaction ended: %w", errors.Join(j.err, err))
		}
	}
	if _, err := w.stmts.ExecContext(ctx, `RELEASE job`); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

func (w *writer) rollback(ctx context.Context) {
	// Fails where SQLite has rolled back by itself, which is what we want.
	_, _ = w.stmts.ExecContext(ctx, `ROLLBACK`)
}

func fail(group []*job, err error) []*job {
	for _, j := range group {
		j.err = err
	}
	return group
}
