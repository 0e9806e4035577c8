package store

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
)

// lease renews the lease of an owner. A negative one has expired.
func (w *world) lease(owner string, lease time.Duration) int {
	w.t.Helper()
	alive, err := w.RenewLease(w.t.Context(), owner, lease)
	w.must(err)
	return alive
}

// own opens a turn of an owner in a new session.
func (w *world) own(userID int64, owner string) Turn {
	w.t.Helper()
	question := w.question(userID, w.session(userID, ""), "Which ferry?")
	question.Owner = owner
	question.Options = parley.ReplyOptions{Model: parley.ModelEnhanced, WebSearch: true}
	turn, err := w.BeginTurn(w.t.Context(), question)
	w.must(err)
	return turn
}

func TestTheTurnsOfADeadOwnerAreTakenOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.lease("dead", -time.Second)
		if alive := w.lease("alive", time.Hour); alive != 1 {
			t.Errorf("%d owners are alive", alive)
		}
		if alive := w.lease("heir", time.Hour); alive != 2 {
			t.Errorf("%d owners are alive", alive)
		}
		orphan, unknown, kept := w.own(user, "dead"), w.own(user, "never seen"), w.own(user, "alive")
		redo := func() Turn {
			session := w.session(user, "")
			w.say(user, session, "q", "r")
			turn, err := w.BeginTurn(t.Context(), NewTurn{UserID: user, SessionID: session, Owner: "dead", Redo: true})
			w.must(err)
			return turn
		}()

		taken, err := w.TakeOver(t.Context(), "heir", 100)
		w.must(err)
		want := []Turn{orphan, unknown, redo}
		for i := range want {
			want[i].Owner = "heir"
			want[i].Attempt++
		}
		bySession := func(a, b Turn) int { return strings.Compare(a.SessionID, b.SessionID) }
		slices.SortFunc(taken, bySession)
		slices.SortFunc(want, bySession)
		if !slices.Equal(taken, want) {
			t.Errorf("taken over\n%+v\nwant\n%+v", taken, want)
		}

		// Late writes of the dead owner change nothing.
		before := w.dump()
		if err := w.FinishTurn(t.Context(), orphan, "late", parley.Details{}); !errors.Is(err, ErrTurnLost) {
			t.Errorf("late finish: %v", err)
		}
		if err := w.FailTurn(t.Context(), orphan, failure, w.tick()); !errors.Is(err, ErrTurnLost) {
			t.Errorf("late failure: %v", err)
		}
		if w.dump() != before {
			t.Error("a late write changed something")
		}
		w.must(w.FinishTurn(t.Context(), kept, "mine", parley.Details{}))
		for _, turn := range taken {
			w.must(w.FinishTurn(t.Context(), turn, "made anew", parley.Details{}))
		}
		if again, err := w.TakeOver(t.Context(), "heir", 100); err != nil || len(again) != 0 {
			t.Errorf("taken over again: %v, %v", again, err)
		}
	})
}

func TestALeaseGivenUpIsTakenOverAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.lease("leaving", time.Hour)
		w.lease("heir", time.Hour)
		w.own(user, "leaving")
		if taken, err := w.TakeOver(t.Context(), "heir", 100); err != nil || len(taken) != 0 {
			t.Errorf("taken from the living: %v, %v", taken, err)
		}
		w.must(w.DropLease(t.Context(), "leaving"))
		if taken, err := w.TakeOver(t.Context(), "heir", 100); err != nil || len(taken) != 1 {
			t.Errorf("taken over: %v, %v", taken, err)
		}
	})
}

func TestHeirsShareTheTurnsAndNoneIsTakenTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for range 20 {
			w.own(user, "dead")
		}
		heirs := []string{"a", "b", "c", "d"}
		for _, heir := range heirs {
			w.lease(heir, time.Hour)
		}
		taken := make([][]Turn, len(heirs))
		errs := parallel(len(heirs), func(i int) (err error) {
			taken[i], err = w.TakeOver(t.Context(), heirs[i], 8)
			return err
		})
		w.must(errors.Join(errs...))
		seen := map[string]bool{}
		for _, turns := range taken {
			if len(turns) > 8 {
				t.Errorf("%d turns were taken at a time", len(turns))
			}
			for _, turn := range turns {
				if seen[turn.ReplyID] || turn.Attempt != 2 {
					t.Errorf("%s was taken twice, attempt %d", turn.ReplyID, turn.Attempt)
				}
				seen[turn.ReplyID] = true
			}
		}
		if len(seen) < 8 {
			t.Errorf("%d turns were taken", len(seen))
		}
	})
}

func TestOwnersLongGoneAreForgotten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.lease("long gone", -2*time.Hour)
		w.lease("just gone", -time.Second)
		w.lease("alive", time.Hour)
		if n := number(t, w.Store, `SELECT count(*) FROM owners`); n != 2 {
			t.Errorf("%d owners are known", n)
		}
	})
}

func TestARestartOnSQLiteFreesTheTurnsAtOnce(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Store: first, t: t, dir: dir, now: time.Unix(1_767_225_600, 0)}
	w.lease("before", time.Hour)
	turn := w.own(w.user(), "before")
	w.must(first.Close())
	w.Store = openStore(t, dir, "")
	w.lease("after", time.Hour)
	taken, err := w.TakeOver(t.Context(), "after", 10)
	w.must(err)
	if len(taken) != 1 || taken[0].ReplyID != turn.ReplyID || taken[0].Options != turn.Options {
		t.Errorf("taken over %+v", taken)
	}
}

func TestAnOwnerSeesWhichTurnsAreStoppedOrLost(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		ours, stopped, lost := w.own(user, "owner"), w.own(user, "owner"), w.own(user, "owner")
		if found, err := w.StopTurn(t.Context(), user, stopped.ReplyID); err != nil || !found {
			t.Errorf("stop: %v, %v", found, err)
		}
		w.must(w.ClearSession(t.Context(), user, lost.SessionID))
		states, err := w.SaveProgress(t.Context(), "owner", []Progress{
			{Turn: &ours, Content: "The fast", Fresh: true}, {Turn: &stopped, Content: "so far"}, {Turn: &lost},
		})
		w.must(err)
		if !slices.Equal(states, []TurnState{Ours, Stopped, Lost}) {
			t.Errorf("states are %v", states)
		}
	})
}

func TestProgressShowsOnOtherReplicas(t *testing.T) {
	url := template.Postgres(t)
	w := newWorld(t, url)
	other := openStore(t, "", url)
	user := w.user()
	ours := w.own(user, "owner")
	stale := ours
	stale.Attempt++
	_, err := w.SaveProgress(t.Context(), "owner", []Progress{
		{Turn: &ours, Content: "The fast", Thinking: "hm", Fresh: true},
	})
	w.must(err)
	for _, c := range []struct {
		owner string
		turn  Turn
	}{{"owner", stale}, {"other", ours}} {
		states, err := w.SaveProgress(t.Context(), c.owner, []Progress{{Turn: &c.turn, Content: "late", Fresh: true}})
		w.must(err)
		if states[0] != Lost {
			t.Errorf("%+v is %v", c, states)
		}
	}
	reply, err := other.Reply(t.Context(), user, ours.ReplyID)
	w.must(err)
	if reply.Content != "The fast" || reply.Details.Thinking != "hm" || !reply.Open {
		t.Errorf("the other sees %+v", reply)
	}
	got := (&world{Store: other, t: t}).text(user, ours.SessionID)
	if got != "user: Which ferry?\nassistant: The fast (pending)" {
		t.Errorf("the other's history is %s", got)
	}
}

func TestATakeOverDropsTheTextSoFar(t *testing.T) {
	w := newWorld(t, template.Postgres(t))
	user := w.user()
	turn := w.own(user, "dead")
	_, err := w.SaveProgress(t.Context(), "dead", []Progress{{Turn: &turn, Content: "half a", Fresh: true}})
	w.must(err)
	_, err = w.TakeOver(t.Context(), "heir", 10)
	w.must(err)
	reply, err := w.Reply(t.Context(), user, turn.ReplyID)
	w.must(err)
	if reply.Content != "" || reply.Attempt != 2 {
		t.Errorf("the reply is %+v", reply)
	}
}

func TestOnlyTheUsersOpenReplyCanBeStopped(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		turn := w.own(ada, "owner")
		if found, err := w.StopTurn(t.Context(), bob, turn.ReplyID); err != nil || found {
			t.Errorf("bob stopped it: %v", err)
		}
		w.must(w.FinishTurn(t.Context(), turn, "done", parley.Details{}))
		if found, err := w.StopTurn(t.Context(), ada, turn.ReplyID); err != nil || found {
			t.Errorf("a finished one was stopped: %v", err)
		}
	})
}

func TestSignalsReachEveryReplica(t *testing.T) {
	url := template.Postgres(t)
	speaker, listener := openStore(t, "", url), openStore(t, "", url)
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan Signal, 1000)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		listener.Listener(slog.New(slog.DiscardHandler), func(s Signal) { heard <- s }).Run(ctx)
	}()
	// Signals are lost until it listens: send them until one is received.
	for call := true; call; {
		if err := speaker.Signal(t.Context(), []Signal{{Kind: SessionFree, ID: "ready"}}); err != nil {
			t.Fatal(err)
		}
		select {
		case s := <-heard:
			call = s.Kind == Missed
		default:
		}
	}
	signals := make([]Signal, 2*maxSignals+1)
	for i := range signals {
		signals[i] = Signal{Kind: TurnChanged, ID: strings.Repeat("0", 35) + numbered("", i)}
	}
	if err := speaker.Signal(t.Context(), signals); err != nil {
		t.Fatal(err)
	}
	for _, want := range signals {
		got := <-heard
		for got.ID == "ready" {
			got = <-heard
		}
		if got != want {
			t.Fatalf("received %v, want %v", got, want)
		}
	}
	cancel()
	<-ended
}
