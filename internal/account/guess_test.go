package account

import (
	"fmt"
	"testing"
	"time"
)

func TestTenWrongGuessesHaveToWaitUntilTheWindowHasPassed(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	mine, elsewhere, another := guessKey{1, "192.0.2.1"}, guessKey{1, "192.0.2.2"}, guessKey{2, "192.0.2.1"}
	for i := range maxGuesses {
		if wait := g.wait(mine, now); wait != 0 {
			t.Fatalf("guess %d has to wait %v", i+1, wait)
		}
		g.failed(mine, now)
		now = now.Add(time.Second)
	}
	if wait := g.wait(mine, now); wait != guessWindow-maxGuesses*time.Second {
		t.Errorf("after ten it has to wait %v", wait)
	}
	for _, other := range []guessKey{elsewhere, another} {
		if wait := g.wait(other, now); wait != 0 {
			t.Errorf("%v has to wait %v", other, wait)
		}
	}
	// The window passes for the first guess, then for the second.
	now = now.Add(guessWindow - maxGuesses*time.Second)
	if wait := g.wait(mine, now); wait != 0 {
		t.Errorf("after the window it has to wait %v", wait)
	}
	g.failed(mine, now)
	if wait := g.wait(mine, now); wait != time.Second {
		t.Errorf("after one more it has to wait %v", wait)
	}
}

func TestGuessesFarApartNeverHaveToWait(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	for range 100 {
		if wait := g.wait(guessKey{1, "a"}, now); wait != 0 {
			t.Fatalf("it has to wait %v", wait)
		}
		g.failed(guessKey{1, "a"}, now)
		now = now.Add(guessWindow/maxGuesses + time.Second)
	}
}

func TestTheRightPasswordForgives(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	for range maxGuesses - 1 {
		g.failed(guessKey{1, "a"}, now)
	}
	g.forgive(guessKey{1, "a"})
	for range maxGuesses - 1 {
		g.failed(guessKey{1, "a"}, now)
	}
	if wait := g.wait(guessKey{1, "a"}, now); wait != 0 {
		t.Errorf("it has to wait %v", wait)
	}
}

func TestTheMemoryOfGuessesIsBounded(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	for i := range maxGuessers + 10 {
		g.failed(guessKey{1, fmt.Sprint(i)}, now)
	}
	if len(g.wrong) > maxGuessers {
		t.Errorf("%d guessers are remembered", len(g.wrong))
	}
	for range 1000 {
		g.failed(guessKey{1, "persistent"}, now)
	}
	if n := len(g.wrong[guessKey{1, "persistent"}]); n > maxGuesses {
		t.Errorf("%d guesses of one are remembered", n)
	}
	now = now.Add(guessWindow)
	g.failed(guessKey{2, "late"}, now)
	if len(g.wrong) != 1 {
		t.Errorf("%d guessers are remembered after the window", len(g.wrong))
	}
}
