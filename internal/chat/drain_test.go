package chat

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"

	"parley"
	"parley/internal/ai"
)

// held is a model that says its word once it is let.
type held struct{ let chan struct{} }

func (h held) Reply(ctx context.Context, _ ai.Prompt, emit func(ai.Chunk)) error {
	select {
	case <-h.let:
		emit(ai.Chunk{Text: "Well."})
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// inLine has two sends in one session: one is being answered, the other waits. It
// returns what they end with, in this order.
func (s *Service) inLine(t *testing.T, userID int64) []<-chan error {
	t.Helper()
	session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		t.Fatal(err)
	}
	var ends []<-chan error
	for begun := range 2 {
		end := make(chan error, 1)
		go func() {
			_, err := s.Send(t.Context(), userID, parley.SendInput{SessionID: session.SessionID, Content: "Is it?"}, "")
			end <- err
		}()
		ends = append(ends, end)
		for !s.has(session.SessionID, begun) {
			if t.Context().Err() != nil {
				t.Fatal("the send did not come that far")
			}
			runtime.Gosched()
		}
	}
	return ends
}

// has reports whether a session is being answered while so many sends wait.
func (s *Service) has(sessionID string, waiting int) bool {
	s.mu.Lock()
	live := len(s.live)
	s.mu.Unlock()
	s.lines.mu.Lock()
	defer s.lines.mu.Unlock()
	return live == 1 && len(s.lines.waiting[sessionID]) == waiting
}

func TestShuttingDownWaitsForSendsInLine(t *testing.T) {
	s, userID := newService(t)
	model := held{make(chan struct{})}
	s.Models[0].Model = model
	ends := s.inLine(t, userID)
	drained := make(chan struct{})
	go func() {
		s.Drain(t.Context())
		close(drained)
	}()
	for !s.isDraining() {
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

func TestSendsInLineAreTurnedAwayWhenRepliesAreGivenUp(t *testing.T) {
	s, userID := newService(t)
	s.Models[0].Model = held{}
	ends := s.inLine(t, userID)
	now, cancel := context.WithCancel(t.Context())
	cancel()
	s.Drain(now)
	for i, want := range []error{parley.ErrReplyLate, parley.ErrTurnBusy} {
		if err := <-ends[i]; !errors.Is(err, want) {
			t.Errorf("send %d: got %v, want %v", i+1, err, want)
		}
	}
}

func TestTooManyRepliesAtOnceAreRefused(t *testing.T) {
	s, userID := newService(t)
	session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxLive {
		s.live[strconv.Itoa(i)] = nil
	}
	send := func() error {
		_, err := s.Send(t.Context(), userID, parley.SendInput{SessionID: session.SessionID, Content: "Is it?"}, "")
		return err
	}
	if err := send(); !errors.Is(err, parley.ErrOverloaded) {
		t.Errorf("got %v", err)
	}
	delete(s.live, "0")
	if err := send(); err != nil {
		t.Errorf("with one reply less: %v", err)
	}
}
