package chat

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley"
)

func TestSendsOfASessionGoInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLines()
		var order []int
		if err := l.enter(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			go func() {
				if err := l.enter(t.Context(), "a"); err != nil {
					t.Error(err)
				}
				order = append(order, i) // whoever has the turn is alone
				l.leave("a")
			}()
			synctest.Wait()
		}
		if err := l.enter(t.Context(), "b"); err != nil {
			t.Errorf("another session must not wait: %v", err)
		}
		l.leave("b")
		l.leave("a")
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
		if len(l.waiting) != 0 {
			t.Errorf("%d lines are left", len(l.waiting))
		}
	})
}

func TestNoMoreThan32Wait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLines()
		ctx, cancel := context.WithCancel(t.Context())
		if err := l.enter(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		for range 32 {
			go func() {
				if err := l.enter(ctx, "a"); !errors.Is(err, parley.ErrTurnBusy) {
					t.Errorf("got %v, want ErrTurnBusy", err)
				}
			}()
		}
		synctest.Wait()
		if err := l.enter(ctx, "a"); !errors.Is(err, parley.ErrTurnBusy) {
			t.Errorf("the 33rd: got %v, want ErrTurnBusy", err)
		}
		cancel()
		synctest.Wait()
		l.leave("a")
		if len(l.waiting) != 0 {
			t.Errorf("%d lines are left", len(l.waiting))
		}
	})
}

func TestWhoeverGivesUpLosesThePlaceOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLines()
		if err := l.enter(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() {
			if err := l.enter(impatient, "a"); !errors.Is(err, parley.ErrTurnBusy) {
				t.Errorf("got %v, want ErrTurnBusy", err)
			}
		}()
		synctest.Wait()
		entered := false
		go func() {
			entered = l.enter(t.Context(), "a") == nil
			l.leave("a")
		}()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if entered {
			t.Fatal("entered while the turn was taken")
		}
		l.leave("a")
		synctest.Wait()
		if !entered {
			t.Error("the next in line was not called")
		}
	})
}

// TestATurnGivenAtTheLastMomentIsPassedOn lets the turn come and the patience end at
// the same moment, over and over: whichever is seen first, nobody is left waiting.
func TestATurnGivenAtTheLastMomentIsPassedOn(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			l := newLines()
			if err := l.enter(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			impatient, cancel := context.WithCancel(t.Context())
			go func() {
				if l.enter(impatient, "a") == nil {
					l.leave("a")
				}
			}()
			synctest.Wait()
			go l.leave("a")
			go cancel()
			synctest.Wait()
			if len(l.waiting) != 0 {
				t.Fatal("the turn is still taken")
			}
		})
	}
}
