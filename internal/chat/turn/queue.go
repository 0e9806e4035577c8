package turn

import (
	"context"
	"slices"
	"sync"

	"parley"
)

// maxQueued is how many sends may wait for one session.
const maxQueued = 32

// sessionQueue lets one send of each session proceed at a time. The others wait, first in, first out.
type sessionQueue struct {
	mu      sync.Mutex
	waiting map[string][]chan struct{} // by session; present while a send holds the session
}

func newSessionQueue() *sessionQueue {
	return &sessionQueue{waiting: map[string][]chan struct{}{}}
}

// acquire waits until the caller holds the session. After nil, release must be called. The error is
// parley.ErrTurnBusy.
func (q *sessionQueue) acquire(ctx context.Context, sessionID string) error {
	q.mu.Lock()
	waiting, held := q.waiting[sessionID]
	if !held {
		q.waiting[sessionID] = nil
		q.mu.Unlock()
		return nil
	}
	if len(waiting) >= maxQueued {
		q.mu.Unlock()
		return parley.ErrTurnBusy
	}
	next := make(chan struct{})
	q.waiting[sessionID] = append(waiting, next)
	q.mu.Unlock()

	select {
	case <-next:
		return nil
	case <-ctx.Done():
	}
	if !q.cancel(sessionID, next) {
		q.release(sessionID) // the session was passed to this send meanwhile
	}
	return parley.ErrTurnBusy.WithCause(ctx.Err())
}

// cancel removes a waiting send. It returns false if the send already holds the session.
func (q *sessionQueue) cancel(sessionID string, next chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting[sessionID], next)
	if i < 0 {
		return false
	}
	q.waiting[sessionID] = slices.Delete(q.waiting[sessionID], i, i+1)
	return true
}

// release passes the session to the next send.
func (q *sessionQueue) release(sessionID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.waiting[sessionID]
	if len(waiting) == 0 {
		delete(q.waiting, sessionID)
		return
	}
	close(waiting[0])
	q.waiting[sessionID] = waiting[1:]
}
