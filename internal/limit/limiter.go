// Package limit limits how much the server handles at once: requests, connections and bytes.
package limit

import (
	"context"
	"sync/atomic"
	"time"

	"parley"
)

// Limiter bounds how many operations run at once. Further ones wait in a bounded queue, first in, first out.
// A nil Limiter does not limit.
type Limiter struct {
	slots   chan struct{}
	queue   int64
	maxWait time.Duration
	waiting atomic.Int64
}

// NewLimiter returns a limiter with the given number of slots. At most queue callers wait for one, each for at
// most maxWait.
func NewLimiter(slots, queue int, maxWait time.Duration) *Limiter {
	return &Limiter{slots: make(chan struct{}, slots), queue: int64(queue), maxWait: maxWait}
}

// Full reports whether Acquire would refuse at once: all slots are taken and the queue is full.
func (l *Limiter) Full() bool {
	return l != nil && len(l.slots) == cap(l.slots) && l.waiting.Load() >= l.queue
}

// Acquire waits for a slot, which must be returned with Release. It returns parley.ErrOverloaded if the queue is
// full or the wait takes too long, and the error of ctx if ctx ends first.
func (l *Limiter) Acquire(ctx context.Context) error {
	if l == nil {
		return nil
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > l.queue {
		return parley.ErrOverloaded
	}
	timer := time.NewTimer(l.maxWait)
	defer timer.Stop()
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return parley.ErrOverloaded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release returns a slot.
func (l *Limiter) Release() {
	if l != nil {
		<-l.slots
	}
}
