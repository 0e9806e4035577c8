package search_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/search"
)

// watched is a context that counts how often a search, or the database for it, checks whether
// it has ended. It calls look each time.
type watched struct {
	context.Context
	look  func(count int64)
	looks atomic.Int64
}

func (w *watched) Err() error {
	w.look(w.looks.Add(1))
	return w.Context.Err()
}

// longTexts stores sessions with a long question each, which are queued, and returns their user.
func (w *world) longTexts(sessions int) int64 {
	w.t.Helper()
	user := w.user()
	long := strings.Repeat("Ferry ", 50_000)
	for range sessions {
		w.say(user, w.session(user, "Capri"), long, "ok")
	}
	return user
}

func TestASearchHoldsOneTextAtATime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.longTexts(40) // 12 MB together
		live := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := live()
		var most atomic.Int64
		ctx := &watched{Context: t.Context(), look: func(int64) { most.Store(max(most.Load(), live())) }}
		_, total, err := w.index.Find(ctx, user, search.Keyword{Key: "absent"}, parley.Page{Number: 1, Size: 10})
		w.must(err)
		const bound = 3 << 20
		if looks, more := ctx.looks.Load(), most.Load()-before; total != 0 || looks < 80 || more > bound {
			t.Errorf("%d found, %d looks, %d bytes more in memory, want at most %d", total, looks, more, bound)
		}
	})
}

func TestASearchEndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.longTexts(40)
		ending, cancel := context.WithCancel(t.Context())
		defer cancel()
		ctx := &watched{Context: ending, look: func(count int64) {
			if count == 20 {
				cancel()
			}
		}}
		_, _, err := w.index.Find(ctx, user, search.Keyword{Key: "absent"}, parley.Page{Number: 1, Size: 10})
		if looks := ctx.looks.Load(); !errors.Is(err, context.Canceled) || looks > 30 {
			t.Errorf("%v after %d looks", err, looks)
		}
	})
}
