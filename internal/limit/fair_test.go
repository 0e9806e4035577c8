package limit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley"
)

// fairWorld has callers of a Fair that run one at a time, and records their order.
type fairWorld struct {
	t     *testing.T
	fair  *Fair[string]
	order []string
}

// call makes a caller wait. Its key is the name up to the first digit.
func (w *fairWorld) call(name string, acquire func(context.Context, string) error) {
	go func() {
		key := strings.TrimRight(name, "0123456789")
		if err := acquire(w.t.Context(), key); err != nil {
			w.order = append(w.order, name+" refused")
			return
		}
		w.order = append(w.order, name) // one at a time
		w.fair.Release(key)
	}()
	synctest.Wait()
}

// check ends the operation that holds the only slot, and checks the order of those that waited.
func (w *fairWorld) check(want ...string) {
	w.t.Helper()
	w.fair.Release("first")
	synctest.Wait()
	if !slices.Equal(w.order, want) {
		w.t.Errorf("the order is %v, not %v", w.order, want)
	}
	f := w.fair
	if f.running != 0 || f.waiting != 0 || len(f.taken) != 0 || !f.normal.empty() || !f.low.empty() {
		w.t.Errorf("an idle limiter keeps %+v", f)
	}
}

// testFair runs a test with one slot, which is taken by the key "first".
func testFair(t *testing.T, queue int, test func(*fairWorld)) {
	synctest.Test(t, func(t *testing.T) {
		w := &fairWorld{t: t, fair: NewFair[string](FairConfig{Slots: 1, Queue: queue, MaxWait: time.Minute})}
		if err := w.fair.Acquire(t.Context(), "first"); err != nil {
			t.Fatal(err)
		}
		test(w)
	})
}

func TestKeysTakeTurns(t *testing.T) {
	testFair(t, 10, func(w *fairWorld) {
		for _, name := range []string{"ada1", "ada2", "ada3", "ada4", "bob1", "bob2", "eve1"} {
			w.call(name, w.fair.Acquire)
		}
		if n := w.fair.Waiting(); n != 7 {
			t.Errorf("%d wait", n)
		}
		w.check("ada1", "bob1", "eve1", "ada2", "bob2", "ada3", "ada4")
	})
}

func TestLowPriorityComesLaterButNotLast(t *testing.T) {
	testFair(t, 20, func(w *fairWorld) {
		for _, name := range []string{"low1", "low2", "low3"} {
			w.call(name, w.fair.AcquireLow)
		}
		for _, name := range []string{"ada1", "ada2", "ada3", "ada4", "ada5"} {
			w.call(name, w.fair.Acquire)
		}
		w.check("ada1", "ada2", "ada3", "ada4", "low1", "ada5", "low2", "low3")
	})
}

func TestTheLongestQueueMakesRoom(t *testing.T) {
	testFair(t, 3, func(w *fairWorld) {
		for _, name := range []string{"ada1", "ada2", "ada3", "ada4", "bob1", "bob2", "eve1", "joe1"} {
			w.call(name, w.fair.Acquire)
		}
		w.check("ada4 refused", "ada3 refused", "bob2 refused", "ada2 refused", "joe1 refused", "ada1", "bob1", "eve1")
	})
}

func TestLowPriorityMakesRoom(t *testing.T) {
	testFair(t, 2, func(w *fairWorld) {
		w.call("ada1", w.fair.AcquireLow)
		w.call("bob1", w.fair.AcquireLow)
		w.call("bob2", w.fair.Acquire)
		w.call("eve1", w.fair.AcquireLow)
		w.check("ada1 refused", "eve1 refused", "bob2", "bob1")
	})
}

func TestAKeyHasALimitOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[string](FairConfig{Slots: 3, SlotsPerKey: 2, Queue: 10})
		for range 2 {
			if err := f.Acquire(t.Context(), "ada"); err != nil {
				t.Fatal(err)
			}
		}
		got := make(chan error, 1)
		go func() { got <- f.Acquire(t.Context(), "ada") }()
		synctest.Wait()
		if err := f.Acquire(t.Context(), "bob"); err != nil || len(got) != 0 {
			t.Fatalf("got %v; the third of one key runs: %t", err, len(got) != 0)
		}
		f.Release("bob")
		synctest.Wait()
		if len(got) != 0 {
			t.Error("the third of one key runs")
		}
		f.Release("ada")
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}

func TestAKeyHasAShareOfTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[string](FairConfig{Slots: 1, Queue: 3, QueuePerKey: 2, MaxWait: time.Minute})
		acquire := func(key string) {
			go func() {
				if f.Acquire(t.Context(), key) == nil {
					f.Release(key)
				}
			}()
			synctest.Wait()
		}
		if err := f.Acquire(t.Context(), "ada"); err != nil {
			t.Fatal(err)
		}
		acquire("ada")
		acquire("ada")
		begun := time.Now()
		if err := f.Acquire(t.Context(), "ada"); !errors.Is(err, parley.ErrOverloaded) || time.Since(begun) != 0 {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		if f.Full() {
			t.Error("full although there is a place for another key")
		}
		acquire("bob")
		if !f.Full() {
			t.Error("not full with 3 that wait")
		}
		f.Release("ada")
		synctest.Wait()
		if f.Full() || f.running != 0 || f.waiting != 0 || len(f.taken) != 0 {
			t.Errorf("an idle limiter keeps %+v", f)
		}
	})
}

func TestAFairWaitEnds(t *testing.T) {
	testFair(t, 10, func(w *fairWorld) {
		begun := time.Now()
		err := w.fair.Acquire(w.t.Context(), "ada")
		if !errors.Is(err, parley.ErrOverloaded) || time.Since(begun) != time.Minute {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
		defer cancel()
		if err := w.fair.Acquire(ctx, "ada"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := w.fair.Acquire(ctx, "ada"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v for a context that has ended", err)
		}
		w.check()
	})
}

// TestSlotsAreNotLost has waits end just when slots become free.
func TestSlotsAreNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[int](FairConfig{Slots: 2, Queue: 8, MaxWait: 3 * time.Second})
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() {
				time.Sleep(time.Duration(i%7) * time.Second)
				if f.Acquire(t.Context(), i%5) == nil {
					time.Sleep(3 * time.Second)
					f.Release(i % 5)
				}
			})
		}
		callers.Wait()
		if f.running != 0 || f.waiting != 0 || len(f.taken) != 0 {
			t.Errorf("an idle limiter keeps %+v", f)
		}
	})
}

func TestWithoutAFairNothingIsLimited(t *testing.T) {
	var f *Fair[string]
	if err := errors.Join(f.Acquire(t.Context(), "ada"), f.AcquireLow(t.Context(), "ada")); err != nil || f.Full() {
		t.Errorf("got %v, full: %t", err, f.Full())
	}
	f.Release("ada")
}

func BenchmarkFair(b *testing.B) {
	f := NewFair[int](FairConfig{Slots: 64, Queue: 64, MaxWait: time.Second})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if f.Full() || f.Acquire(context.Background(), 1) != nil {
				b.Error("it is full")
			}
			f.Release(1)
		}
	})
}
