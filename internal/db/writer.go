package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
)

// maxGroup limits how many transactions share one commit, and so how long the first of them
// waits.
const maxGroup = 256

// writer is SQLite's one writing connection. Transactions that wait during a commit share
// the next one, and so one fsync. The writer has its own context: canceling a statement
// would roll back the whole group.
type writer struct {
	queue
	pool  *sql.DB
	conn  *sql.Conn
	stmts *statements
	next  *job // taken from the queue, but can't share the transaction of the group
	done  chan struct{}
}

// newWriter starts a writer after prepare has returned.
func newWriter(ctx context.Context, pool *sql.DB, prepare func(context.Context, *sql.DB) error) (*writer, error) {
	pool.SetMaxOpenConns(1)
	if err := prepare(ctx, pool); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	w := &writer{
		queue: queue{jobs: make(chan *job, maxGroup)},
		pool:  pool, conn: conn, stmts: &statements{on: conn}, done: make(chan struct{}),
	}
	go w.serve()
	return w, nil
}

// Write runs do in a transaction and returns once it is committed.
func (w *writer) Write(ctx context.Context, do Func) error {
	return w.run(ctx, newJob(do))
}

// WriteAlone is Write in a transaction that is not shared.
func (w *writer) WriteAlone(ctx context.Context, do Func) error {
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
	return errors.Join(w.conn.Close(), w.pool.Close())
}

func (w *writer) serve() {
	defer close(w.done)
	group := make([]*job, 0, maxGroup)
	for j := range w.jobs {
		runtime.Gosched() // so that goroutines that are about to write share the commit
		for ; j != nil; j = w.next {
			w.next = nil
			group = w.commit(j, group[:0])
			for _, j := range group {
				j.result <- j.err
			}
		}
	}
}

// commit runs the first job and those that wait in one transaction, and returns the
// jobs that it ran with their results.
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
			if len(group) == 1 { // no other work was rolled back
				return group
			}
			return w.commitApart(ctx, group)
		}
	}
	return w.finish(ctx, group)
}

// commitApart runs a group again after a job has failed, each job in a savepoint, so that
// a failure undoes only its own work. Savepoints cost about as much as the jobs and few
// jobs fail, so a group is tried without them first.
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

// waiting returns the next queued job of a group, or nil.
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

// savepoint runs one job so that its failure undoes only its own work. It returns an
// error if the whole transaction has ended.
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
	// It fails if SQLite has rolled back by itself.
	_, _ = w.stmts.ExecContext(ctx, `ROLLBACK`)
}

func fail(group []*job, err error) []*job {
	for _, j := range group {
		j.err = err
	}
	return group
}
