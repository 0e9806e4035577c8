package chat

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/store"
)

func isOver(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWaitingEndsWithTheSignalOrAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNews()
		mine, other := n.await(store.TurnChanged, "mine", time.Second), n.await(store.TurnChanged, "other", time.Second)
		n.tell(store.TurnChanged, "mine")
		if !isOver(mine) || isOver(other) {
			t.Errorf("mine over: %v, other over: %v; want only mine", isOver(mine), isOver(other))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !isOver(other) {
			t.Error("the waiting did not end after a while")
		}
		if len(n.waiting) != 0 {
			t.Errorf("%d are still waited for", len(n.waiting))
		}
	})
}

// TestASignalTakesItsTimerAlong makes sure that waiting again after a signal is not
// ended by the timer of the first waiting: timers would pile up with every signal.
func TestASignalTakesItsTimerAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNews()
		n.await(store.TurnChanged, "a", time.Second)
		time.Sleep(500 * time.Millisecond)
		n.tell(store.TurnChanged, "a")
		again := n.await(store.TurnChanged, "a", time.Second)
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if isOver(again) {
			t.Error("the old timer ended the new waiting")
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if !isOver(again) {
			t.Error("the new waiting did not end in its time")
		}
	})
}

func TestMissedSignalsWakeEverybody(t *testing.T) {
	n := newNews()
	waits := []<-chan struct{}{n.await(store.TurnChanged, "a", time.Hour), n.await(store.SessionFree, "b", time.Hour)}
	n.heard(store.Signal{Kind: store.Missed})
	for i, wait := range waits {
		if !isOver(wait) {
			t.Errorf("wait %d goes on", i)
		}
	}
}

func TestOthersAreToldOnlyWhereThereAreAny(t *testing.T) {
	n := newNews()
	n.tell(store.TurnChanged, "a")
	if told := n.take(); len(told) != 0 {
		t.Errorf("alone, but told %v", told)
	}
	n.havePeers(true)
	n.tell(store.TurnChanged, "a")
	n.tell(store.TurnChanged, "a")
	n.tell(store.SessionFree, "b")
	if told := n.take(); len(told) != 2 {
		t.Errorf("told %v, want each once", told)
	}
	if told := n.take(); len(told) != 0 {
		t.Errorf("told again: %v", told)
	}
}

// TestOnlyStoppingAsksForTheStanding makes sure that a replica which hears its own
// progress does not store progress at once again, and so on without end.
func TestOnlyStoppingAsksForTheStanding(t *testing.T) {
	for kind, want := range map[store.SignalKind]bool{
		store.TurnChanged: false, store.SessionFree: false, store.TurnStopped: true, store.Missed: true,
	} {
		s := New(Config{})
		s.Heard(store.Signal{Kind: kind, ID: "a"})
		if got := isOver(s.look); got != want {
			t.Errorf("%s: asked %v, want %v", kind, got, want)
		}
	}
}
