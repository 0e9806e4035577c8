package limit_test

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/internal/limit"
)

func newUsher(t *testing.T, group int) *limit.Usher {
	t.Helper()
	u, err := limit.NewUsher(group)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestEverybodyHasTheirTurn(t *testing.T) {
	for _, group := range []int{1, 2, 16} {
		u := newUsher(t, group)
		var all sync.WaitGroup
		for range 1000 {
			all.Go(u.LineUp)
		}
		all.Wait()
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}

// work keeps the processor busy for a while.
func work() {
	for begun := time.Now(); time.Since(begun) < time.Millisecond; {
	}
}

// TestTheNetworkIsLookedAtBetweenTheGroups has one processor, more work for it than it
// can do at once, and somebody who waits for the network meanwhile.
func TestTheNetworkIsLookedAtBetweenTheGroups(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const group = 2
	u := newUsher(t, group)
	defer u.Close()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	var mu sync.Mutex
	done, before := 0, 0
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := in.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		before = done
	})
	runtime.Gosched() // the reader waits
	for range 100 {
		all.Go(func() {
			u.LineUp()
			work()
			mu.Lock()
			defer mu.Unlock()
			done++
		})
	}
	if _, err := out.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if before > 3*group {
		t.Errorf("%d of %d had their turn before it was looked at", before, done)
	}
}

func TestNobodyWaitsForAnUsherWhoIsGone(t *testing.T) {
	u := newUsher(t, 1)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		u.LineUp()
	}
	var none *limit.Usher
	none.LineUp()
}
