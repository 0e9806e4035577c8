package turn

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// eachHooked runs a test with an engine on each database. The test can interfere with the changes of the database.
func eachHooked(
	t *testing.T, model ai.Model, test func(t *testing.T, e *Engine, database *storetest.Hooked, userID int64),
) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, databaseURL string) {
		stored, database := storetest.OpenHooked(t, t.TempDir(), databaseURL)
		e := New(Config{Store: stored, Log: slog.New(slog.DiscardHandler), Prepare: ask(model), Now: time.Now})
		e.doubtTime = time.Hour // a busy machine may take its time
		t.Cleanup(func() { e.Drain(ended(context.Background())) })
		test(t, e, database, storetest.User(t, stored, time.Now()))
	})
}

// ended returns a context that has ended.
func ended(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

// TestAReplyThatCannotBeStoredAtShutdownIsLeftToAnother fails the write of a complete reply while the server stops.
func TestAReplyThatCannotBeStoredAtShutdownIsLeftToAnother(t *testing.T) {
	eachHooked(t, says("Well."), func(t *testing.T, e *Engine, database *storetest.Hooked, userID int64) {
		question := newQuestion(userID, e.newSession(t, userID))
		begun, prepare := make(chan struct{}), e.prepare
		e.prepare = func(ctx context.Context, open *store.Turn) (*Request, error) {
			<-begun
			return prepare(ctx, open)
		}
		reply, err := e.Start(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		database.Next(func(context.Context, func(context.Context) error) error {
			e.giveUp(errShutdown)
			return errors.New("connection refused")
		})
		close(begun)
		if _, err := reply.Wait(t.Context()); !errors.Is(err, parley.ErrReplyLate) {
			t.Errorf("got %v, want ErrReplyLate", err)
		}
		next := New(Config{Store: e.store, Log: e.log, Prepare: ask(says("Well.")), Now: time.Now})
		next.renew(t, 1)
		r, err := e.store.Reply(t.Context(), userID, question.ReplyID)
		if err != nil || r.Open || r.Content != "Well." || r.Attempt != 2 {
			t.Errorf("the next process has %+v, %v", r, err)
		}
		next.Drain(t.Context())
	})
}

// TestATurnWhoseBeginningIsInDoubtIsFound stores a turn, but the request ends before the database has said so.
func TestATurnWhoseBeginningIsInDoubtIsFound(t *testing.T) {
	eachHooked(t, says("Well."), func(t *testing.T, e *Engine, database *storetest.Hooked, userID int64) {
		sessionID := e.newSession(t, userID)
		for name, question := range map[string]store.NewTurn{
			"a send":       newQuestion(userID, sessionID),
			"a regenerate": {UserID: userID, SessionID: sessionID, Redo: true},
		} {
			if question.Redo {
				if err := e.send(t.Context(), userID, sessionID); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			database.Next(func(ctx context.Context, begin func(context.Context) error) error {
				if err := begin(ctx); err != nil {
					return err
				}
				cancel()
				return ctx.Err()
			})
			reply, err := e.Start(ctx, question)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, err = reply.Wait(ctx)
			var late *parley.Error
			if !errors.As(err, &late) || !errors.Is(err, parley.ErrReplyLate) {
				t.Fatalf("%s: got %v, want ErrReplyLate", name, err)
			}
			out := late.Body.(parley.SendOutput)
			if !question.Redo && (out.UserMessageID != question.QuestionID || out.AIResponse.ID != question.ReplyID) {
				t.Errorf("%s: got the ids of %+v", name, out)
			}
			e.renew(t, 1)
			r, err := e.store.Reply(t.Context(), userID, out.AIResponse.ID)
			if err != nil || r.Open || r.Content != "Well." {
				t.Errorf("%s: the reply is %+v, %v", name, r, err)
			}
		}
	})
}

// TestWhatIsSaidOfATurnWhoseBeginningIsInDoubt says that nothing was stored only if that is known.
func TestWhatIsSaidOfATurnWhoseBeginningIsInDoubt(t *testing.T) {
	eachHooked(t, says("Well."), func(t *testing.T, e *Engine, database *storetest.Hooked, userID int64) {
		sessionID := e.newSession(t, userID)
		unknown := func(ctx context.Context, _ func(context.Context) error) error { return context.DeadlineExceeded }
		database.Next(unknown)
		if err := e.send(t.Context(), userID, sessionID); !errors.Is(err, parley.ErrTurnBusy) {
			t.Errorf("not stored: got %v, want ErrTurnBusy", err)
		}
		database.Next(func(ctx context.Context, begin func(context.Context) error) error {
			if err := begin(ctx); err != nil {
				return err
			}
			database.Next(unknown)
			return context.DeadlineExceeded
		})
		question := newQuestion(userID, sessionID)
		_, err := e.Start(t.Context(), question)
		var late *parley.Error
		if !errors.As(err, &late) || !errors.Is(err, parley.ErrReplyLate) {
			t.Fatalf("unknown: got %v, want ErrReplyLate", err)
		}
		if out := late.Body.(parley.SendOutput); out.UserMessageID != question.QuestionID ||
			out.AIResponse.ID != question.ReplyID {
			t.Errorf("unknown: got the ids of %+v", out)
		}
		question.Owner = e.owner
		if _, err := e.store.ReleaseTurn(t.Context(), question); err != nil {
			t.Fatal(err)
		}
		e.renew(t, 1)
		database.Next(func(ctx context.Context, begin func(context.Context) error) error {
			if err := begin(ctx); err != nil {
				return err
			}
			database.Next(unknown)
			return context.DeadlineExceeded
		})
		_, err = e.Start(t.Context(), store.NewTurn{UserID: userID, SessionID: sessionID, Redo: true})
		if !errors.As(err, &late) || !errors.Is(err, parley.ErrReplyLate) || late.Body != nil {
			t.Errorf("unknown, regenerated: got %v with %+v, want ErrReplyLate without ids", err, late.Body)
		}
	})
}

// TestATurnThatIsStoredAfterItWasDeniedIsRemoved delays the statements of a send until its user was told that nothing
// was stored.
func TestATurnThatIsStoredAfterItWasDeniedIsRemoved(t *testing.T) {
	eachHooked(t, says("Well."), func(t *testing.T, e *Engine, database *storetest.Hooked, userID int64) {
		sessionID := e.newSession(t, userID)
		if err := e.send(t.Context(), userID, sessionID); err != nil {
			t.Fatal(err)
		}
		var late func(context.Context) error
		database.Next(func(_ context.Context, begin func(context.Context) error) error {
			late = begin
			return context.DeadlineExceeded
		})
		question := newQuestion(userID, sessionID)
		if _, err := e.Start(t.Context(), question); !errors.Is(err, parley.ErrTurnBusy) {
			t.Fatalf("got %v, want ErrTurnBusy", err)
		}
		if err := late(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 { // seen, and taken over
			if err := e.renewLease(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := e.store.Reply(t.Context(), userID, question.ReplyID); !errors.Is(err, parley.ErrSendFailed) {
			t.Errorf("the reply: %v, want ErrSendFailed", err)
		}
		head, err := e.store.Session(t.Context(), userID, sessionID)
		if err != nil || head.MessageCount != 2 {
			t.Errorf("the session has %d messages, %v", head.MessageCount, err)
		}
	})
}
