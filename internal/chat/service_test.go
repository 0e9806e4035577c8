package chat

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// says is a model that always says the same.
type says string

func (s says) Reply(ctx context.Context, _ ai.Prompt, emit func(ai.Chunk)) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	emit(ai.Chunk{Text: string(s)})
	return nil
}

// newService is a service on SQLite whose background work is left to the test.
func newService(t testing.TB) (s *Service, userID int64) {
	t.Helper()
	database := storetest.Open(t, t.TempDir(), "")
	log := slog.New(slog.DiscardHandler)
	s = New(Config{
		Store: database, Library: library.New(library.Config{Store: database, Log: log, Now: time.Now}), Log: log,
		Models: []Model{{Name: "default", Model: says("Well."), ContextTokens: 32000}}, RequestTimeout: 10 * time.Second, Now: time.Now,
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Drain(ctx)
	})
	return s, storetest.User(t, database, time.Now())
}

func TestAnExportIsWhole(t *testing.T) {
	s, userID := newService(t)
	session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		t.Fatal(err)
	}
	const turns = exportBatch/2 + 1
	var want []string
	for range turns {
		sent, err := s.Send(t.Context(), userID, parley.SendInput{SessionID: session.SessionID, Content: "Is it?"}, "")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, sent.UserMessageID, sent.AIResponse.ID)
	}
	export, err := s.Export(t.Context(), userID, session.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range export.Messages {
		got = append(got, m.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d messages, want %d in their order", len(got), len(want))
	}
}

func TestALeaseIsTenSecondsUnlessSet(t *testing.T) {
	for set, want := range map[time.Duration]time.Duration{0: 10 * time.Second, time.Minute: time.Minute} {
		if got := New(Config{Lease: set}).Lease; got != want {
			t.Errorf("a lease of %v is %v, want %v", set, got, want)
		}
	}
}

// leave stores an open turn that nobody makes, in a session of its own.
func (s *Service) leave(t *testing.T, userID int64, owner string) (replyID string) {
	t.Helper()
	session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.Store.BeginTurn(t.Context(), store.NewTurn{
		UserID: userID, SessionID: session.SessionID, QuestionID: id.New(), ReplyID: id.New(), Content: "Is it?", Owner: owner, Now: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return open.ReplyID
}

func (s *Service) beats(t *testing.T, times int) {
	t.Helper()
	for range times {
		if err := s.beat(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.running.Wait()
}

// TestATurnThatGotLostIsFound has a turn open in the name of a live process that knows
// nothing of it: the database answered too late when it was opened.
func TestATurnThatGotLostIsFound(t *testing.T) {
	s, userID := newService(t)
	replyID := s.leave(t, userID, s.owner)
	s.beats(t, 1)
	if r, err := s.Store.Reply(t.Context(), userID, replyID); err != nil || !r.Open || r.Attempt != 1 {
		t.Fatalf("after one look: %+v, %v; it may be about to live", r, err)
	}
	s.beats(t, 1)
	if r, err := s.Store.Reply(t.Context(), userID, replyID); err != nil || r.Open || r.Attempt != 2 || r.Content != "Well." {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestOrphansAreTakenOverBatchByBatch(t *testing.T) {
	s, userID := newService(t)
	var replies []string
	for range adoptMost + 1 {
		replies = append(replies, s.leave(t, userID, "dead"))
	}
	s.beats(t, 1)
	if !isOver(s.more) {
		t.Error("the next batch is not asked for")
	}
	s.beats(t, 1)
	if isOver(s.more) {
		t.Error("more is asked for where nothing is left")
	}
	for _, replyID := range replies {
		if r, err := s.Store.Reply(t.Context(), userID, replyID); err != nil || r.Open || r.Content != "Well." {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}

func TestAnOrphanThatWasStoppedIsNotMadeAnew(t *testing.T) {
	s, userID := newService(t)
	replyID := s.leave(t, userID, "dead")
	if open, err := s.Store.StopTurn(t.Context(), userID, replyID); err != nil || !open {
		t.Fatal(open, err)
	}
	s.beats(t, 1)
	if r, err := s.Store.Reply(t.Context(), userID, replyID); !errors.Is(err, parley.ErrTurnEnded) {
		t.Errorf("got %+v, %v; want ErrTurnEnded", r, err)
	}
}

func TestADrainingServiceTakesNothingOver(t *testing.T) {
	s, userID := newService(t)
	s.leave(t, userID, "dead")
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	if err := s.beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	if taken, err := s.Store.OpenReplies(t.Context(), s.owner); err != nil || len(taken) != 0 {
		t.Errorf("it took over %v, %v", taken, err)
	}
}

func TestATurnIsSafeFromOthersAsSoonAsItsServiceHasJoined(t *testing.T) {
	s, userID := newService(t)
	early := New(s.Config)
	s.leave(t, userID, early.owner)
	if err := early.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.beat(t.Context()); err != nil {
		t.Fatal(err)
	}
	if taken, err := s.Store.OpenReplies(t.Context(), s.owner); err != nil || len(taken) != 0 {
		t.Errorf("it took over %v, %v", taken, err)
	}
}

func TestADrainedServiceStaysWithoutALease(t *testing.T) {
	s, userID := newService(t)
	s.beats(t, 1)
	s.Drain(t.Context())
	s.beats(t, 1) // comes too late
	if alive, err := s.Store.RenewLease(t.Context(), "another", time.Minute); err != nil || alive != 1 {
		t.Errorf("%d processes hold a lease (%v), want only the other", alive, err)
	}
	session, err := s.CreateSession(t.Context(), userID, parley.CreateSessionInput{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Send(t.Context(), userID, parley.SendInput{SessionID: session.SessionID, Content: "Is it?"}, "")
	if !errors.Is(err, parley.ErrReplyLate) { // stored, and left to another process
		t.Errorf("got %v, want ErrReplyLate", err)
	}
}

func TestAnOutcomeIsStoredAgainAndAgain(t *testing.T) {
	fault := errors.New("connection refused")
	for name, test := range map[string]struct {
		answers []error // the last one for ever
		give    bool    // up after the first
		want    error
		tries   int
	}{
		"at once":              {answers: []error{nil}, tries: 1},
		"after a while":        {answers: []error{fault, fault, nil}, tries: 3},
		"taken over meanwhile": {answers: []error{fault, store.ErrTurnLost}, want: errMoved, tries: 2},
		"shutting down":        {answers: []error{fault}, give: true, want: fault, tries: 1},
		"never":                {answers: []error{fault}, want: fault, tries: 14},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(Config{})
				defer s.giveUp(nil)
				tries := 0
				err := s.persist(func(context.Context) error {
					tries++
					if test.give {
						s.giveUp(errShutdown)
					}
					return test.answers[min(tries, len(test.answers))-1]
				})
				if !errors.Is(err, test.want) || tries != test.tries {
					t.Errorf("got %v after %d tries, want %v after %d", err, tries, test.want, test.tries)
				}
			})
		})
	}
}
