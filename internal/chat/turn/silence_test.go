package turn

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/store/storetest"
)

// newSilentEngine returns an engine on a database that can be made silent. It must be called in a synctest bubble.
func newSilentEngine(t *testing.T) (e *Engine, database *storetest.Silence, userID int64) {
	t.Helper()
	stored, database := storetest.OpenSilent(t, t.TempDir())
	e = New(Config{Store: stored, Log: slog.New(slog.DiscardHandler), Prepare: ask(held{}), Now: time.Now})
	return e, database, storetest.User(t, stored, time.Now())
}

// TestEachTryEndsWhileTheDatabaseIsSilent runs the loops of the engine against a database that does not respond.
// Each try ends early enough for the next one.
func TestEachTryEndsWhileTheDatabaseIsSilent(t *testing.T) {
	for name, test := range map[string]struct {
		loop   func(e *Engine, ctx context.Context) error
		within time.Duration
	}{
		"the lease":    {(*Engine).renewLease, defaultLease / 3},
		"progress":     {(*Engine).saveProgress, 5 * time.Second},
		"old outcomes": {(*Engine).deleteOldOutcomes, time.Minute},
		"the outcome of a reply": {func(e *Engine, ctx context.Context) error {
			return try(ctx, func(ctx context.Context) error { return e.store.DropLease(ctx, e.owner) })
		}, storeTimeout / 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, database, userID := newSilentEngine(t)
				if _, err := e.Start(t.Context(), newQuestion(userID, e.newSession(t, userID))); err != nil {
					t.Fatal(err)
				}
				database.Begin()
				begun := time.Now()
				err := test.loop(e, t.Context())
				if took := time.Since(begun); err == nil || took != test.within || database.Hung() != 1 {
					t.Errorf("it ended after %v, want %v: %v", took, test.within, err)
				}
				database.End()
				if err := test.loop(e, t.Context()); err != nil {
					t.Errorf("once the database responds: %v", err)
				}
				now, cancel := context.WithCancel(t.Context())
				cancel()
				e.Drain(now)
			})
		})
	}
}

// TestALeaseOutlivesAShortSilence makes the database silent right after the lease was renewed. There are two tries
// before it expires.
func TestALeaseOutlivesAShortSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, database, _ := newSilentEngine(t)
		if err := e.AcquireLease(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		renewed := make(chan struct{})
		go func() {
			defer close(renewed)
			e.every(ctx, e.lease*3/10, e.renewNow, "renew lease", e.renewLease)
		}()
		synctest.Wait()
		database.Begin()
		time.Sleep(e.lease - time.Millisecond)
		synctest.Wait()
		if tries := database.Hung(); tries < 2 {
			t.Errorf("%d tries during the lease, want 2", tries)
		}
		cancel()
		<-renewed
		database.End()
		e.Drain(t.Context())
	})
}
