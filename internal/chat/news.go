package chat

import (
	"context"
	"sync"
	"time"

	"parley/internal/store"
)

// news passes on what replicas tell each other: it wakes whoever waits for it here,
// and gathers what is to be told to the others.
type news struct {
	mu      sync.Mutex
	waiting map[store.Signal]*waiting
	outbox  map[store.Signal]bool
	ready   chan struct{} // something is in the outbox
	peers   bool          // there is somebody to tell
}

// waiting is for one signal.
type waiting struct {
	over  chan struct{}
	timer *time.Timer // ends it where no signal comes
}

func newNews() *news {
	return &news{
		waiting: map[store.Signal]*waiting{}, outbox: map[store.Signal]bool{}, ready: make(chan struct{}, 1),
	}
}

// await returns a channel that is closed when the signal comes, or after a while.
func (n *news) await(kind store.SignalKind, id string, most time.Duration) <-chan struct{} {
	key := store.Signal{Kind: kind, ID: id}
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.waiting[key]
	if w == nil {
		w = &waiting{over: make(chan struct{}), timer: time.AfterFunc(most, func() { n.heard(key) })}
		n.waiting[key] = w
	}
	return w.over
}

// heard wakes whoever waits for a signal.
func (n *news) heard(signal store.Signal) {
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

// wake ends the waiting for a signal. The lock must be held.
func (n *news) wake(signal store.Signal) {
	if w := n.waiting[signal]; w != nil {
		w.timer.Stop()
		close(w.over)
		delete(n.waiting, signal)
	}
}

// tell wakes whoever waits here, and lets the other replicas know.
func (n *news) tell(kind store.SignalKind, id string) {
	signal := store.Signal{Kind: kind, ID: id}
	n.heard(signal)
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.peers {
		return
	}
	n.outbox[signal] = true
	ask(n.ready)
}

func (n *news) havePeers(yes bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.peers = yes
}

// take empties the outbox.
func (n *news) take() []store.Signal {
	n.mu.Lock()
	defer n.mu.Unlock()
	signals := make([]store.Signal, 0, len(n.outbox))
	for signal := range n.outbox {
		signals = append(signals, signal)
	}
	clear(n.outbox)
	return signals
}

// runNews tells the other replicas what is to be told until ctx ends. It gathers for
// a moment, since each telling costs the database something.
func (s *Service) runNews(ctx context.Context) {
	const gather = 20 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.news.ready:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
		if err := s.Store.Signal(ctx, s.news.take()); err != nil && ctx.Err() == nil {
			s.Log.Warn("tell other replicas", "error", err)
		}
	}
}

// Heard takes a signal from another replica.
func (s *Service) Heard(signal store.Signal) {
	s.news.heard(signal)
	if signal.Kind == store.TurnStopped || signal.Kind == store.Missed {
		ask(s.look)
	}
}
