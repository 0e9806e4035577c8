package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/db"
)

// held is an engine. Its snapshots wait until they are released.
type held struct {
	db.Engine
	begun    atomic.Int64
	released chan struct{}
}

func (h *held) Snapshot(ctx context.Context, do db.Func) error {
	h.begun.Add(1)
	<-h.released
	return h.Engine.Snapshot(ctx, do)
}

func TestOneUserHasAShareOfTheSearches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		h := &held{released: make(chan struct{})}
		w.db.Wrap(func(engine db.Engine) db.Engine {
			h.Engine = engine
			return h
		})
		defer w.db.Wrap(func(db.Engine) db.Engine { return h.Engine })
		atOnce := w.db.MaxSnapshots()
		var all sync.WaitGroup
		page := parley.Page{Number: 1, Size: 1}
		search := func(find func() error) {
			all.Go(func() {
				if err := find(); err != nil && !errors.Is(err, parley.ErrOverloaded) {
					t.Error(err)
				}
			})
		}
		for range atOnce {
			search(func() error {
				_, _, err := w.FindSessions(t.Context(), ada, Keyword{Key: "ferry"}, page)
				return err
			})
			search(func() error {
				_, _, err := w.FindFavorites(t.Context(), ada, "ferry", page)
				return err
			})
		}
		for h.begun.Load() < int64(atOnce/2) {
			runtime.Gosched()
		}
		for range atOnce / 2 {
			search(func() error {
				_, _, err := w.FindSessions(t.Context(), bob, Keyword{Key: "ferry"}, page)
				if err != nil {
					t.Errorf("the other user: %v", err)
				}
				return err
			})
		}
		for h.begun.Load() < int64(atOnce) {
			runtime.Gosched()
		}
		if n := h.begun.Load(); n != int64(atOnce) {
			t.Errorf("%d searches run at once, want %d", n, atOnce)
		}
		close(h.released)
		all.Wait()
	})
}
