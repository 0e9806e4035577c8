package limit

import (
	"context"
	"sync"
	"time"

	"parley"
)

// lowAfter is how many normal callers may be served in a row while callers of low priority wait.
const lowAfter = 4

// FairConfig holds the limits of a Fair.
type FairConfig struct {
	// Slots is how many operations run at once.
	Slots int
	// SlotsPerKey is how many operations of one key run at once. Zero means Slots.
	SlotsPerKey int
	// Queue is how many callers wait, of all keys together.
	Queue int
	// QueuePerKey is how many callers of one key and one priority wait. Zero means Queue.
	QueuePerKey int
	// MaxWait is how long a caller waits. Zero means until its context ends.
	MaxWait time.Duration
}

// Fair bounds how many operations run at once and shares the slots among keys, such as users or networks. Each key
// has a queue, first in, first out. A free slot goes to the next key in turn, so the callers of one key, however many,
// do not hold up those of another. A nil Fair does not limit.
//
// Callers of low priority are served after the others, but at least one in five while any of them wait.
//
// If all places of the queue are taken, a newcomer takes the place of the last caller of the key that has most of them,
// if its own key has fewer. A normal caller always takes the place of one with low priority.
type Fair[K comparable] struct {
	config FairConfig

	mu          sync.Mutex
	running     int
	taken       map[K]int // running operations; keys without any are removed
	waiting     int
	normal, low *turns[K]
	inARow      int // normal callers served since the last one of low priority
}

// NewFair returns a Fair with the given limits.
func NewFair[K comparable](config FairConfig) *Fair[K] {
	if config.SlotsPerKey == 0 {
		config.SlotsPerKey = config.Slots
	}
	if config.QueuePerKey == 0 {
		config.QueuePerKey = config.Queue
	}
	return &Fair[K]{config: config, taken: map[K]int{}, normal: newTurns[K](), low: newTurns[K]()}
}

// Full reports whether all slots are taken and the queue is full.
func (f *Fair[K]) Full() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running >= f.config.Slots && f.waiting >= f.config.Queue
}

// Acquire waits for a slot, which must be returned with Release. It returns parley.ErrOverloaded if there is no place
// in the queue or the wait takes too long, and the error of ctx if ctx ends first.
func (f *Fair[K]) Acquire(ctx context.Context, key K) error {
	if f == nil {
		return nil
	}
	return f.acquire(ctx, key, f.normal)
}

// AcquireLow is Acquire with low priority.
func (f *Fair[K]) AcquireLow(ctx context.Context, key K) error {
	if f == nil {
		return nil
	}
	return f.acquire(ctx, key, f.low)
}

// Waiting returns how many callers wait.
func (f *Fair[K]) Waiting() int {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting
}

// Release returns a slot of the key.
func (f *Fair[K]) Release(key K) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running--
	f.taken[key]--
	if f.taken[key] == 0 {
		delete(f.taken, key)
	}
	f.serve()
}

func (f *Fair[K]) acquire(ctx context.Context, key K, class *turns[K]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.take(key) {
		return nil
	}
	w, err := f.enter(key, class)
	if err != nil {
		return err
	}
	var late <-chan time.Time
	if f.config.MaxWait > 0 {
		timer := time.NewTimer(f.config.MaxWait)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case err := <-w.result:
		return err
	case <-late:
		err = parley.ErrOverloaded
	case <-ctx.Done():
		err = ctx.Err()
	}
	return f.leave(w, class, err)
}

// take takes a slot if nobody waits, without the cost of a waiter.
func (f *Fair[K]) take(key K) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting > 0 || f.running >= f.config.Slots || f.taken[key] >= f.config.SlotsPerKey {
		return false
	}
	f.running++
	f.taken[key]++
	return true
}

// enter queues a caller and serves whoever is next, which may be that caller.
func (f *Fair[K]) enter(key K, class *turns[K]) (*waiter[K], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &waiter[K]{key: key, result: make(chan error, 1)}
	class.add(w)
	f.waiting++
	f.serve()
	if len(w.result) > 0 {
		return w, nil
	}
	if len(class.queues[key]) > f.config.QueuePerKey || f.waiting > f.config.Queue && !f.makeRoom(w, class) {
		f.remove(w, class)
		return nil, parley.ErrOverloaded
	}
	return w, nil
}

// serve gives free slots to callers.
func (f *Fair[K]) serve() {
	mayRun := func(key K) bool { return f.taken[key] < f.config.SlotsPerKey }
	for f.running < f.config.Slots {
		first, second := f.normal, f.low
		if f.inARow >= lowAfter {
			first, second = f.low, f.normal
		}
		class, w := first, first.next(mayRun)
		if w == nil {
			class, w = second, second.next(mayRun)
		}
		if w == nil {
			return
		}
		if f.inARow++; class == f.low || f.low.empty() {
			f.inARow = 0
		}
		f.waiting--
		f.running++
		f.taken[w.key]++
		w.result <- nil
	}
}

// makeRoom refuses a caller in favor of w. It reports false if no other has to give way.
func (f *Fair[K]) makeRoom(w *waiter[K], class *turns[K]) bool {
	own := len(class.queues[w.key])
	for _, other := range []*turns[K]{f.low, f.normal} {
		last, length := other.longest()
		if last == nil || last == w {
			continue
		}
		if length > own || class == f.normal && other == f.low {
			f.remove(last, other)
			last.result <- parley.ErrOverloaded
			return true
		}
	}
	return false
}

// leave ends the wait of a caller. A slot that it got meanwhile is returned.
func (f *Fair[K]) leave(w *waiter[K], class *turns[K], reason error) error {
	f.mu.Lock()
	select {
	case err := <-w.result:
		f.mu.Unlock()
		if err == nil {
			f.Release(w.key)
		}
	default:
		f.remove(w, class)
		f.mu.Unlock()
	}
	return reason
}

func (f *Fair[K]) remove(w *waiter[K], class *turns[K]) {
	class.remove(w)
	f.waiting--
}
