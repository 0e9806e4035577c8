package store_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// TestARowOfTheSessionsCostsLittle counts what one more row of the list allocates on SQLite: the driver's values, and
// none of our own.
func TestARowOfTheSessionsCostsLittle(t *testing.T) {
	s, now := storetest.Open(t, t.TempDir(), ""), time.Now()
	user := storetest.User(t, s, now)
	for range 60 {
		storetest.Session(t, s, user, now)
	}
	allocations := func(size int) float64 {
		return testing.AllocsPerRun(20, func() {
			rows, _, err := s.Sessions(t.Context(), user, store.SessionFilter{}, parley.Page{Number: 1, Size: int64(size)})
			if err != nil || len(rows) != size {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
		})
	}
	const most = 7
	if each := (allocations(60) - allocations(20)) / 40; each > most {
		t.Errorf("a row takes %.1f allocations, want at most %d", each, most)
	} else {
		t.Logf("a row takes %.1f allocations", each)
	}
}
