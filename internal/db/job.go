package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

var errClosed = errors.New("the database is closed")

// queue passes jobs to the goroutines that own SQLite's connections. SQLite needs deep
// stacks: if callers ran their own jobs, the stacks of thousands of requests would grow.
type queue struct {
	jobs chan *job

	mu     sync.RWMutex // guards closed against a send on jobs
	closed bool
}

// job is a Func to run. It is either taken by a connection or abandoned by its caller,
// whichever comes first.
type job struct {
	do     Func
	ctx    context.Context // interrupts the job; nil if nothing does
	alone  bool            // does not share its transaction
	taken  atomic.Bool
	result chan error
	err    error
}

func newJob(do Func) *job {
	return &job{do: do, result: make(chan error, 1)}
}

// take reports whether the caller may run or abandon the job. Only the first call returns
// true.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// run queues a job and waits for its result. If ctx ends before the job has begun, the
// job is not run.
func (q *queue) run(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return notBegun{err}
	}
	if err := q.add(ctx, j); err != nil {
		return notBegun{err}
	}
	select {
	case err := <-j.result:
		return err
	case <-ctx.Done():
		if j.take() {
			return notBegun{ctx.Err()}
		}
		return <-j.result
	}
}

func (q *queue) add(ctx context.Context, j *job) error {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.closed {
		return errClosed
	}
	select {
	case q.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end closes the queue and reports whether it was open.
func (q *queue) end() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.closed = true
	close(q.jobs)
	return true
}

// protect turns a panic in do into an error.
func protect(ctx context.Context, do Func, q Querier) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the database: %v\n%s", p, debug.Stack())
		}
	}()
	return do(ctx, q)
}
