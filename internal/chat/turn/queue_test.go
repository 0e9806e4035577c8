package turn

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
		q := newSessionQueue()
		var order []int
		if err := q.acquire(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			go func() {
				if err := q.acquire(t.Context(), "a"); err != nil {
					t.Error(err)
				}
				order = append(order, i) // only one send holds the session
				q.release("a")
			}()
			synctest.Wait()
		}
		if err := q.acquire(t.Context(), "b"); err != nil {
			t.Errorf("another session must not wait: %v", err)
		}
		q.release("b")
		q.release("a")
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("got %v, want %v", order, want)
		}
		if len(q.waiting) != 0 {
			t.Errorf("%d queues are left", len(q.waiting))
		}
	})
}

func TestNoMoreThan32Wait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newSessionQueue()
		ctx, cancel := context.WithCancel(t.Context())
		if err := q.acquire(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		for range 32 {
			go func() {
				if err := q.acquire(ctx, "a"); !errors.Is(err, parley.ErrTurnBusy) {
					t.Errorf("got %v, want ErrTurnBusy", err)
				}
			}()
		}
		synctest.Wait()
		if err := q.acquire(ctx, "a"); !errors.Is(err, parley.ErrTurnBusy) {
			t.Errorf("the 33rd: got %v, want ErrTurnBusy", err)
		}
		cancel()
		synctest.Wait()
		q.release("a")
		if len(q.waiting) != 0 {
			t.Errorf("%d queues are left", len(q.waiting))
		}
	})
}

func TestWhoeverGivesUpLosesThePlaceOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newSessionQueue()
		if err := q.acquire(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() {
			if err := q.acquire(impatient, "a"); !errors.Is(err, parley.ErrTurnBusy) {
				t.Errorf("got %v, want ErrTurnBusy", err)
			}
		}()
		synctest.Wait()
		entered := false
		go func() {
			entered = q.acquire(t.Context(), "a") == nil
			q.release("a")
		}()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if entered {
			t.Fatal("entered while the turn was taken")
		}
		q.release("a")
		synctest.Wait()
		if !entered {
			t.Error("the next send did not proceed")
		}
	})
}

// TestATurnGivenAtTheLastMomentIsPassedOn releases a session and cancels the next send at the same moment, many times.
// In either order, no send is left waiting.
func TestATurnGivenAtTheLastMomentIsPassedOn(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			q := newSessionQueue()
			if err := q.acquire(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			impatient, cancel := context.WithCancel(t.Context())
			go func() {
				if q.acquire(impatient, "a") == nil {
					q.release("a")
				}
			}()
			synctest.Wait()
			go q.release("a")
			go cancel()
			synctest.Wait()
			if len(q.waiting) != 0 {
				t.Fatal("the turn is still taken")
			}
		})
	}
}
