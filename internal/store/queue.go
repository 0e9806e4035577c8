package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

var errClosed = errors.New("the database is closed")

// queue hands work to the goroutines that have SQLite's connections. They run it on a
// context of their own, and on stacks of their own: SQLite's frames are deep, and
// thousands of requests and streams would each keep a stack for them.
type queue struct {
	jobs chan *job

	mu     sync.RWMutex // guards closed against a send on jobs
	closed bool
}

// job is one piece of work. It is either taken by a connection or abandoned by its
// caller, whoever comes first.
type job struct {
	do     func(context.Context, querier) error
	ctx    context.Context // what it is done with, so that it can be interrupted; nil for none
	alone  bool            // shares its transaction with nobody
	taken  atomic.Bool
	result chan error
	err    error
}

func newJob(do func(context.Context, querier) error) *job {
	return &job{do: do, result: make(chan error, 1)}
}

// take reports whether the job is to be done: its caller may have left.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// run queues a job and waits for it. Where ctx ends first, the job is not done; once
// it has begun, its outcome is waited for.
func (u *queue) run(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := u.add(ctx, j); err != nil {
		return err
	}
	select {
	case err := <-j.result:
		return err
	case <-ctx.Done():
		if j.take() {
			return ctx.Err()
		}
		return <-j.result
	}
}

func (u *queue) add(ctx context.Context, j *job) error {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if u.closed {
		return errClosed
	}
	select {
	case u.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end lets the queue take nothing more, and says whether it did so far.
func (u *queue) end() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.closed = true
	close(u.jobs)
	return true
}

// protect turns a panic in do into an error, so that it can't take down a connection.
func protect(ctx context.Context, do func(context.Context, querier) error, q querier) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the database: %v\n%s", p, debug.Stack())
		}
	}()
	return do(ctx, q)
}
