package turn

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/store"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWaitingEndsWithTheSignalOrAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotifier()
		mine := n.wait(store.TurnChanged, "mine", time.Second)
		other := n.wait(store.TurnChanged, "other", time.Second)
		n.publish(store.TurnChanged, "mine")
		if !isClosed(mine) || isClosed(other) {
			t.Errorf("mine over: %v, other over: %v; want only mine", isClosed(mine), isClosed(other))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !isClosed(other) {
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
		n := newNotifier()
		n.wait(store.TurnChanged, "a", time.Second)
		time.Sleep(500 * time.Millisecond)
		n.publish(store.TurnChanged, "a")
		again := n.wait(store.TurnChanged, "a", time.Second)
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if isClosed(again) {
			t.Error("the old timer ended the new waiting")
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if !isClosed(again) {
			t.Error("the new waiting did not end in its time")
		}
	})
}

func TestMissedSignalsWakeEverybody(t *testing.T) {
	n := newNotifier()
	waits := []<-chan struct{}{n.wait(store.TurnChanged, "a", time.Hour), n.wait(store.SessionFree, "b", time.Hour)}
	n.receive(store.Signal{Kind: store.Missed})
	for i, wait := range waits {
		if !isClosed(wait) {
			t.Errorf("wait %d goes on", i)
		}
	}
}

func TestOthersAreToldOnlyWhereThereAreAny(t *testing.T) {
	n := newNotifier()
	n.publish(store.TurnChanged, "a")
	if told := n.takeOutbox(); len(told) != 0 {
		t.Errorf("alone, but told %v", told)
	}
	n.setPeers(true)
	n.publish(store.TurnChanged, "a")
	n.publish(store.TurnChanged, "a")
	n.publish(store.SessionFree, "b")
	if told := n.takeOutbox(); len(told) != 2 {
		t.Errorf("told %v, want each once", told)
	}
	if told := n.takeOutbox(); len(told) != 0 {
		t.Errorf("told again: %v", told)
	}
}

// TestOnlyStoppingAsksForTheStanding makes sure that a replica which hears its own
// progress does not store progress at once again, and so on without end.
func TestOnlyStoppingAsksForTheStanding(t *testing.T) {
	for kind, want := range map[store.SignalKind]bool{
		store.TurnChanged: false, store.SessionFree: false, store.TurnStopped: true, store.Missed: true,
	} {
		e := New(Config{})
		e.HandleSignal(store.Signal{Kind: kind, ID: "a"})
		if got := isClosed(e.saveNow); got != want {
			t.Errorf("%s: triggered %v, want %v", kind, got, want)
		}
	}
}
