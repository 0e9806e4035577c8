package turn

import (
	"context"
	"sync"
	"time"

	"parley/internal/store"
)

// notifier wakes goroutines that wait for a signal, and collects signals for the other replicas.
type notifier struct {
	mu      sync.Mutex
	waiting map[store.Signal]*waiter
	outbox  map[store.Signal]bool
	ready   chan struct{} // the outbox is not empty
	peers   bool          // there are other replicas
}

// waiter is shared by all goroutines that wait for the same signal.
type waiter struct {
	done  chan struct{}
	timer *time.Timer // closes done if no signal arrives
}

func newNotifier() *notifier {
	return &notifier{
		waiting: map[store.Signal]*waiter{},
		outbox:  map[store.Signal]bool{},
		ready:   make(chan struct{}, 1),
	}
}

// wait returns a channel that closes when the signal arrives, or after the timeout.
func (n *notifier) wait(kind store.SignalKind, id string, timeout time.Duration) <-chan struct{} {
	signal := store.Signal{Kind: kind, ID: id}
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.waiting[signal]
	if w == nil {
		w = &waiter{done: make(chan struct{}), timer: time.AfterFunc(timeout, func() { n.receive(signal) })}
		n.waiting[signal] = w
	}
	return w.done
}

// receive wakes the goroutines that wait for a signal. store.Missed wakes all of them.
func (n *notifier) receive(signal store.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if signal.Kind == store.Missed {
		for key := range n.waiting {
			n.wake(key)
		}
		return
	}
	n.wake(signal)
}

// wake wakes the goroutines that wait for a signal. The caller must hold the lock.
func (n *notifier) wake(signal store.Signal) {
	if w := n.waiting[signal]; w != nil {
		w.timer.Stop()
		close(w.done)
		delete(n.waiting, signal)
	}
}

// publish wakes the waiting goroutines of this process, and queues the signal for the other replicas.
func (n *notifier) publish(kind store.SignalKind, id string) {
	signal := store.Signal{Kind: kind, ID: id}
	n.receive(signal)
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.peers {
		return
	}
	n.outbox[signal] = true
	trigger(n.ready)
}

func (n *notifier) setPeers(peers bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.peers = peers
}

// takeOutbox empties the outbox.
func (n *notifier) takeOutbox() []store.Signal {
	n.mu.Lock()
	defer n.mu.Unlock()
	signals := make([]store.Signal, 0, len(n.outbox))
	for signal := range n.outbox {
		signals = append(signals, signal)
	}
	clear(n.outbox)
	return signals
}

// runNotifier sends queued signals to the other replicas until ctx ends. It collects them for a moment first,
// since each NOTIFY is a transaction.
func (e *Engine) runNotifier(ctx context.Context) {
	const collect = 20 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.notifier.ready:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(collect):
		}
		if err := e.store.Signal(ctx, e.notifier.takeOutbox()); err != nil && ctx.Err() == nil {
			e.log.Warn("notify other replicas", "error", err)
		}
	}
}

// HandleSignal handles a signal from another replica.
func (e *Engine) HandleSignal(signal store.Signal) {
	e.notifier.receive(signal)
	if signal.Kind == store.TurnStopped || signal.Kind == store.Missed {
		trigger(e.saveNow)
	}
}

// trigger wakes the loop that reads from c. It has no effect if the loop is already triggered.
func trigger(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
