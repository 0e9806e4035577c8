package limit

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley"
)

func TestAFreeSlotIsTakenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2, 0, 0)
		for range 10 {
			for range 2 {
				if err := l.Acquire(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			l.Release()
			l.Release()
		}
		if l.Full() {
			t.Error("an idle limiter is full")
		}
	})
}

func TestTheQueueIsFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1, 5, time.Minute)
		if err := l.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []int
		for i := range 5 {
			go func() {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				order = append(order, i) // one at a time
				l.Release()
			}()
			synctest.Wait()
		}
		l.Release()
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
			t.Errorf("the order is %v", order)
		}
	})
}

func TestNobodyWaitsLongerThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1, 1, time.Second)
		if err := l.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := l.Acquire(t.Context()); !errors.Is(err, parley.ErrOverloaded) || time.Since(begun) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(begun))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.Acquire(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v for a context that has ended", err)
		}
		l.Release()
		if err := l.Acquire(t.Context()); err != nil {
			t.Errorf("the slot is not free: %v", err)
		}
	})
}

func TestAFullQueueRefusesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2, 3, time.Minute)
		for i := range 5 {
			if l.Full() {
				t.Errorf("full with %d in 2 slots and a queue of 3", i)
			}
			go func() {
				if err := l.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		begun := time.Now()
		if err := l.Acquire(t.Context()); !l.Full() || !errors.Is(err, parley.ErrOverloaded) || time.Since(begun) != 0 {
			t.Errorf("full: %t, got %v after %v", l.Full(), err, time.Since(begun))
		}
		for range 5 {
			l.Release()
			synctest.Wait()
			if l.Full() {
				t.Error("full although a place is free")
			}
		}
	})
}

func TestWithoutALimiterNothingIsLimited(t *testing.T) {
	var l *Limiter
	if err := l.Acquire(t.Context()); err != nil || l.Full() {
		t.Errorf("got %v, full: %t", err, l.Full())
	}
	l.Release()
}

func BenchmarkLimiter(b *testing.B) {
	l := NewLimiter(64, 64, time.Second)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if l.Full() || l.Acquire(context.Background()) != nil {
				b.Error("it is full")
			}
			l.Release()
		}
	})
}
