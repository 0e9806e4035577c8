package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	sqlitedriver "modernc.org/sqlite"
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

	locked   atomic.Bool // another process has the write lock
	stopping atomic.Bool
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
	return w.write(ctx, newJob(do))
}

// WriteAlone is Write in a transaction of its own.
func (w *writer) WriteAlone(ctx context.Context, do Func) error {
	j := newJob(do)
	j.alone = true
	return w.write(ctx, j)
}

func (w *writer) write(ctx context.Context, j *job) error {
	err := w.run(ctx, j)
	if err != nil && ctx.Err() != nil && w.locked.Load() {
		return fmt.Errorf("another process has locked the database: %w", err)
	}
	return err
}

// stop commits what is queued and closes the connection.
func (w *writer) stop() error {
	w.stopping.Store(true)
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
		runtime.Gosched() // goroutines about to write share the commit
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
	if err := w.begin(ctx, first.taken.Load); err != nil {
		return fail(append(group, first), err)
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

// begin begins a transaction. If another process has the write lock, such as an operator's
// command, it waits for it until the caller has abandoned the job or the writer stops. So
// the deadline of a request decides how long it waits, not SQLite's busy timeout.
func (w *writer) begin(ctx context.Context, abandoned func() bool) error {
	for {
		_, err := w.stmts.ExecContext(ctx, `BEGIN IMMEDIATE`)
		busy := isBusy(err)
		w.locked.Store(busy)
		if busy && !abandoned() && !w.stopping.Load() {
			continue
		}
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		return nil
	}
}

func isBusy(err error) bool {
	const busy = 5 // SQLITE_BUSY, the low byte of its extended codes
	var e *sqlitedriver.Error
	return errors.As(err, &e) && e.Code()&0xff == busy
}

// commitApart runs a group again after a job has failed, each job in a savepoint. Then a failure undoes only its own
// work. Savepoints cost about as much as the jobs and few jobs fail, so a group is tried without them first.
func (w *writer) commitApart(ctx context.Context, group []*job) []*job {
	waitAlways := func() bool { return false }
	if err := w.begin(ctx, waitAlways); err != nil {
		return fail(group, err)
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

// savepoint runs one job. Its failure undoes only its own work. It returns an error if the whole transaction has ended.
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
