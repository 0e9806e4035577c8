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

// TestASignalTakesItsTimerAlong checks that a second wait is not ended by the timer of the
// first: timers would accumulate with every signal.
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
			t.Errorf("wait %d has not ended", i)
		}
	}
}

func TestOthersAreToldOnlyWhereThereAreAny(t *testing.T) {
	n := newNotifier()
	n.publish(store.TurnChanged, "a")
	if queued := n.takeOutbox(); len(queued) != 0 {
		t.Errorf("without peers, the outbox is %v", queued)
	}
	n.setPeers(true)
	n.publish(store.TurnChanged, "a")
	n.publish(store.TurnChanged, "a")
	n.publish(store.SessionFree, "b")
	if queued := n.takeOutbox(); len(queued) != 2 {
		t.Errorf("the outbox is %v, want each signal once", queued)
	}
	if queued := n.takeOutbox(); len(queued) != 0 {
		t.Errorf("the outbox is not empty: %v", queued)
	}
}

// TestOnlyStoppingAsksForTheStanding checks that a replica that receives its own progress
// signal does not store progress again, which would never end.
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
