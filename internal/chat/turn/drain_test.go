package turn

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"

	"parley"
	"parley/internal/ai"
)

// held is a model that replies after let is closed.
type held struct{ let chan struct{} }

func (h held) Reply(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
	select {
	case <-h.let:
		emit(ai.Chunk{Text: "Well."})
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// queueTwo starts two sends in one session: the reply of the first is generated, the second waits. It returns their
// results, in this order.
func (e *Engine) queueTwo(t *testing.T, userID int64) []<-chan error {
	t.Helper()
	sessionID := e.newSession(t, userID)
	var ends []<-chan error
	for begun := range 2 {
		end := make(chan error, 1)
		go func() { end <- e.send(t.Context(), userID, sessionID) }()
		ends = append(ends, end)
		for !e.has(sessionID, begun) {
			if t.Context().Err() != nil {
				t.Fatal("the send did not come that far")
			}
			runtime.Gosched()
		}
	}
	return ends
}

// has reports whether one reply is generated while the given number of sends wait in the session's queue.
func (e *Engine) has(sessionID string, waiting int) bool {
	e.mu.Lock()
	live := len(e.live)
	e.mu.Unlock()
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	return live == 1 && len(e.queue.waiting[sessionID]) == waiting
}

func (e *Engine) isDraining() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.draining
}

func TestShuttingDownWaitsForQueuedSends(t *testing.T) {
	model := held{make(chan struct{})}
	e, userID := newEngine(t, model)
	ends := e.queueTwo(t, userID)
	drained := make(chan struct{})
	go func() {
		e.Drain(t.Context())
		close(drained)
	}()
	for !e.isDraining() {
		runtime.Gosched()
	}
	close(model.let)
	for i, end := range ends {
		if err := <-end; err != nil {
			t.Errorf("send %d: %v", i+1, err)
		}
	}
	<-drained
}

func TestQueuedSendsAreRefusedWhenRepliesAreGivenUp(t *testing.T) {
	e, userID := newEngine(t, held{})
	ends := e.queueTwo(t, userID)
	now, cancel := context.WithCancel(t.Context())
	cancel()
	e.Drain(now)
	for i, want := range []error{parley.ErrReplyLate, parley.ErrTurnBusy} {
		if err := <-ends[i]; !errors.Is(err, want) {
			t.Errorf("send %d: got %v, want %v", i+1, err, want)
		}
	}
}

func TestTooManyRepliesAtOnceAreRefused(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	sessionID := e.newSession(t, userID)
	orphan := e.leaveOpen(t, userID, "dead")
	for i := range maxLive {
		e.live[strconv.Itoa(i)] = nil
	}
	e.renew(t, 1)
	if r, err := e.store.Reply(t.Context(), userID, orphan); err != nil || !r.Open || r.Attempt != 1 {
		t.Errorf("it took over %+v, %v", r, err)
	}
	if err := e.send(t.Context(), userID, sessionID); !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("got %v", err)
	}
	delete(e.live, "0")
	if err := e.send(t.Context(), userID, sessionID); err != nil {
		t.Errorf("with one reply less: %v", err)
	}
}
