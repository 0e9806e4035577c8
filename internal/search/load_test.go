package search_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"parley"
	"parley/internal/search"
)

// watched is a context that calls look each time a search checks whether it has ended.
type watched struct {
	context.Context
	look func()
}

func (w watched) Err() error {
	w.look()
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
		live := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before, most, looks := live(), uint64(0), 0
		ctx := watched{t.Context(), func() { most, looks = max(most, live()), looks+1 }}
		_, total, err := w.index.Find(ctx, user, search.Keyword{Key: "absent"}, parley.Page{Number: 1, Size: 10})
		w.must(err)
		const bound = 3 << 20
		if total != 0 || looks < 80 || most > before+bound {
			t.Errorf("%d found, %d looks, %d bytes more in memory, want at most %d", total, looks, most-min(before, most), bound)
		}
	})
}

func TestASearchEndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.longTexts(40)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		looks := 0
		_, _, err := w.index.Find(watched{ctx, func() {
			if looks++; looks == 20 {
				cancel()
			}
		}}, user, search.Keyword{Key: "absent"}, parley.Page{Number: 1, Size: 10})
		if !errors.Is(err, context.Canceled) || looks > 30 {
			t.Errorf("%v after %d looks", err, looks)
		}
	})
}
