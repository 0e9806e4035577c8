package turn

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// says is a model that always gives the same reply.
type says string

func (s says) Reply(ctx context.Context, _ *ai.Prompt, emit func(ai.Chunk)) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	emit(ai.Chunk{Text: string(s)})
	return nil
}

// ask returns a Prepare function that sends the turn's question to a model.
func ask(model ai.Model) func(context.Context, *store.Turn) (*Request, error) {
	return func(_ context.Context, open *store.Turn) (*Request, error) {
		return &Request{Model: model, Prompt: ai.Prompt{Question: open.Question}}, nil
	}
}

// newEngine returns an engine on SQLite. Its background loops are left to the test.
func newEngine(t testing.TB, model ai.Model) (e *Engine, userID int64) {
	t.Helper()
	database := storetest.Open(t, t.TempDir(), "")
	e = New(Config{Store: database, Log: slog.New(slog.DiscardHandler), Prepare: ask(model), Now: time.Now})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		e.Drain(ctx)
	})
	return e, storetest.User(t, database, time.Now())
}

// newSession stores a session.
func (e *Engine) newSession(t testing.TB, userID int64) string {
	t.Helper()
	session := store.NewSession{ID: id.New(), UserID: userID, Now: time.Now()}
	if err := e.store.CreateSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	return session.ID
}

func newQuestion(userID int64, sessionID string) store.NewTurn {
	return store.NewTurn{
		UserID: userID, SessionID: sessionID, QuestionID: id.New(), ReplyID: id.New(), Content: "Is it?",
	}
}

// send starts a turn and waits for its reply.
func (e *Engine) send(ctx context.Context, userID int64, sessionID string) error {
	reply, err := e.Start(ctx, newQuestion(userID, sessionID))
	if err != nil {
		return err
	}
	_, err = reply.Wait(ctx)
	return err
}

func TestALeaseIsTenSecondsUnlessSet(t *testing.T) {
	for set, want := range map[time.Duration]time.Duration{0: 10 * time.Second, time.Minute: time.Minute} {
		if got := New(Config{Lease: set}).lease; got != want {
			t.Errorf("a lease of %v is %v, want %v", set, got, want)
		}
	}
}

// leaveOpen stores an open turn that no process generates, in a new session.
func (e *Engine) leaveOpen(t *testing.T, userID int64, owner string) (replyID string) {
	t.Helper()
	question := newQuestion(userID, e.newSession(t, userID))
	question.Owner, question.Now = owner, time.Now()
	open, err := e.store.BeginTurn(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	return open.ReplyID
}

// renew renews the lease several times and waits for the replies that were taken over.
func (e *Engine) renew(t *testing.T, times int) {
	t.Helper()
	for range times {
		if err := e.renewLease(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	e.running.Wait()
}

// TestATurnThatGotLostIsFound has an open turn. Its owner is alive but does not generate it: the database responded too
// late when it was opened.
func TestATurnThatGotLostIsFound(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	now := time.Now()
	e.now = func() time.Time { return now }
	replyID := e.leaveOpen(t, userID, e.owner)
	e.renew(t, 3) // renewals may follow each other at once
	now = now.Add(e.lease - time.Microsecond)
	e.renew(t, 1)
	if r, err := e.store.Reply(t.Context(), userID, replyID); err != nil || !r.Open || r.Attempt != 1 {
		t.Fatalf("before its time: %+v, %v; it may be about to start", r, err)
	}
	now = now.Add(time.Microsecond)
	e.renew(t, 1)
	r, err := e.store.Reply(t.Context(), userID, replyID)
	if err != nil || r.Open || r.Attempt != 2 || r.Content != "Well." {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestAnAttemptThatEndsLeavesTheNextOneLive has two attempts of one reply in one process, as after it lost its lease
// and took over its own turn.
func TestAnAttemptThatEndsLeavesTheNextOneLive(t *testing.T) {
	e, userID := newEngine(t, held{})
	turn := store.Turn{UserID: userID, SessionID: e.newSession(t, userID), ReplyID: id.New(), Attempt: 1, First: 1}
	first := e.newReply(t.Context(), turn)
	turn.Attempt = 2
	second := e.newReply(t.Context(), turn)
	first.adopted, second.adopted = true, true
	e.launch(first)
	e.launch(second)
	first.cancel(errMoved)
	<-first.done
	if e.find(turn.ReplyID) != second {
		t.Error("the second attempt is not live")
	}
}

func TestOrphansAreTakenOverBatchByBatch(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	var replies []string
	for range maxAdopted + 1 {
		replies = append(replies, e.leaveOpen(t, userID, "dead"))
	}
	e.renew(t, 1)
	if !isClosed(e.renewNow) {
		t.Error("the next batch is not triggered")
	}
	e.renew(t, 1)
	if isClosed(e.renewNow) {
		t.Error("another batch is triggered, but nothing is left")
	}
	for _, replyID := range replies {
		if r, err := e.store.Reply(t.Context(), userID, replyID); err != nil || r.Open || r.Content != "Well." {
			t.Errorf("got %+v, %v", r, err)
		}
	}
}

func TestAnOrphanThatWasStoppedIsNotMadeAnew(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	replyID := e.leaveOpen(t, userID, "dead")
	if open, err := e.store.StopTurn(t.Context(), userID, replyID); err != nil || !open {
		t.Fatal(open, err)
	}
	e.renew(t, 1)
	if r, err := e.store.Reply(t.Context(), userID, replyID); !errors.Is(err, parley.ErrTurnEnded) {
		t.Errorf("got %+v, %v; want ErrTurnEnded", r, err)
	}
}

func TestADrainingServiceTakesNothingOver(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	e.leaveOpen(t, userID, "dead")
	e.mu.Lock()
	e.draining = true
	e.mu.Unlock()
	if err := e.renewLease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if taken, err := e.store.OpenReplies(t.Context(), e.owner); err != nil || len(taken) != 0 {
		t.Errorf("it took over %v, %v", taken, err)
	}
}

func TestATurnIsSafeFromOthersAsSoonAsItsServiceHasJoined(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	early := New(Config{Store: e.store, Log: e.log, Now: time.Now})
	e.leaveOpen(t, userID, early.owner)
	if err := early.AcquireLease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.renewLease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if taken, err := e.store.OpenReplies(t.Context(), e.owner); err != nil || len(taken) != 0 {
		t.Errorf("it took over %v, %v", taken, err)
	}
}

func TestADrainedServiceStaysWithoutALease(t *testing.T) {
	e, userID := newEngine(t, says("Well."))
	e.renew(t, 1)
	e.Drain(t.Context())
	e.renew(t, 1) // comes too late
	if alive, err := e.store.RenewLease(t.Context(), "another", time.Minute); err != nil || alive != 1 {
		t.Errorf("%d processes hold a lease (%v), want only the other", alive, err)
	}
	err := e.send(t.Context(), userID, e.newSession(t, userID))
	if err == nil || err.Error() != parley.ErrShuttingDown.Message {
		t.Errorf("got %v, want ErrShuttingDown", err)
	}
}

func TestAnOutcomeIsStoredAgainAndAgain(t *testing.T) {
	fault := errors.New("connection refused")
	for name, test := range map[string]struct {
		results []error // the last one is repeated
		give    bool    // give up after the first
		want    error
		tries   int
	}{
		"at once":              {results: []error{nil}, tries: 1},
		"after a while":        {results: []error{fault, fault, nil}, tries: 3},
		"taken over meanwhile": {results: []error{fault, store.ErrTurnLost}, want: errMoved, tries: 2},
		"shutting down":        {results: []error{fault}, give: true, want: fault, tries: 1},
		"never":                {results: []error{fault}, want: fault, tries: 14},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := New(Config{})
				defer e.giveUp(nil)
				tries := 0
				err := e.persist(func(context.Context) error {
					tries++
					if test.give {
						e.giveUp(errShutdown)
					}
					return test.results[min(tries, len(test.results))-1]
				})
				if !errors.Is(err, test.want) || tries != test.tries {
					t.Errorf("got %v after %d tries, want %v after %d", err, tries, test.want, test.tries)
				}
			})
		})
	}
}

// TestAStopBeforeTheLaunchIsSeen stops a turn as another process would, or as this one does between the commit and the
// launch: only the database shows it.
func TestAStopBeforeTheLaunchIsSeen(t *testing.T) {
	e, userID := newEngine(t, held{})
	question := newQuestion(userID, e.newSession(t, userID))
	reply, err := e.Start(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if open, err := e.store.StopTurn(t.Context(), userID, question.ReplyID); err != nil || !open {
		t.Fatal(open, err)
	}
	if err := e.saveProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := reply.Wait(t.Context()); !errors.Is(err, parley.ErrTurnEnded) {
		t.Errorf("got %v, want ErrTurnEnded", err)
	}
}
