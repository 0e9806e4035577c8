package limit

import "slices"

// waiter is a caller that waits for a slot.
type waiter[K comparable] struct {
	key    K
	result chan error // gets one value: nil with a slot, or the refusal
}

// turns holds the queues of the waiting keys, and the order to serve them in.
type turns[K comparable] struct {
	order  []K
	queues map[K][]*waiter[K] // keys without a waiter are removed
}

func newTurns[K comparable]() *turns[K] { return &turns[K]{queues: map[K][]*waiter[K]{}} }

func (t *turns[K]) empty() bool { return len(t.order) == 0 }

func (t *turns[K]) add(w *waiter[K]) {
	if len(t.queues[w.key]) == 0 {
		t.order = append(t.order, w.key)
	}
	t.queues[w.key] = append(t.queues[w.key], w)
}

// next takes the first waiter of the first key that may run, and puts that key last. It returns nil if no key may run.
func (t *turns[K]) next(mayRun func(K) bool) *waiter[K] {
	i := slices.IndexFunc(t.order, mayRun)
	if i < 0 {
		return nil
	}
	key := t.order[i]
	w := t.queues[key][0]
	t.order = append(slices.Delete(t.order, i, i+1), key)
	t.remove(w)
	return w
}

func (t *turns[K]) remove(w *waiter[K]) {
	queue := t.queues[w.key]
	i := slices.Index(queue, w)
	if queue = slices.Delete(queue, i, i+1); len(queue) > 0 {
		t.queues[w.key] = queue
		return
	}
	delete(t.queues, w.key)
	i = slices.Index(t.order, w.key)
	t.order = slices.Delete(t.order, i, i+1)
}

// longest returns the last waiter of the longest queue, and the length of that queue.
func (t *turns[K]) longest() (last *waiter[K], length int) {
	for _, key := range t.order {
		if queue := t.queues[key]; len(queue) > length {
			last, length = queue[len(queue)-1], len(queue)
		}
	}
	return last, length
}
