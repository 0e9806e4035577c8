package account

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"parley"
)

var anybody = guessKey{1, Network("192.0.2.1")}

func TestTenWrongGuessesHaveToWaitUntilTheWindowHasPassed(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	mine, elsewhere, another := anybody, guessKey{1, Network("192.0.2.2")}, guessKey{2, Network("192.0.2.1")}
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
		if wait := g.wait(anybody, now); wait != 0 {
			t.Fatalf("it has to wait %v", wait)
		}
		g.failed(anybody, now)
		now = now.Add(guessWindow/maxGuesses + time.Second)
	}
}

func TestTheRightPasswordForgives(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	for range maxGuesses - 1 {
		g.failed(anybody, now)
	}
	g.forgive(anybody)
	for range maxGuesses - 1 {
		g.failed(anybody, now)
	}
	if wait := g.wait(anybody, now); wait != 0 {
		t.Errorf("it has to wait %v", wait)
	}
}

func TestTheMemoryOfGuessesIsBounded(t *testing.T) {
	g := newGuesses()
	now := time.Unix(1_767_225_600, 0)
	for i := range maxGuessers + 10 {
		g.failed(guessKey{1, netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})}, now)
	}
	if len(g.wrong) > maxGuessers {
		t.Errorf("%d guessers are remembered", len(g.wrong))
	}
	for range 1000 {
		g.failed(anybody, now)
	}
	if n := len(g.wrong[anybody]); n > maxGuesses {
		t.Errorf("%d guesses of one are remembered", n)
	}
	now = now.Add(guessWindow)
	g.failed(guessKey{2, anybody.network}, now)
	if len(g.wrong) != 1 {
		t.Errorf("%d guessers are remembered after the window", len(g.wrong))
	}
}

func TestANetworkOfIPv6CountsAsOneAddress(t *testing.T) {
	for _, same := range [][2]string{
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"},
		{"192.0.2.1", "::ffff:192.0.2.1"},
		{"fe80::1%eth0", "fe80::2"},
	} {
		if Network(same[0]) != Network(same[1]) {
			t.Errorf("%s and %s are told apart", same[0], same[1])
		}
	}
	for _, other := range []string{"192.0.2.2", "2001:db8:1:2::1", "2001:db8:1:3::1", "@"} {
		if Network(other) == Network("192.0.2.1") {
			t.Errorf("%s is 192.0.2.1", other)
		}
	}
}

func TestGuessesFromOneNetworkOfIPv6CountTogether(t *testing.T) {
	s, _ := service(t, "")
	register(t, s, "ada@example.com")
	for i := range maxGuesses + 1 {
		from := Caller{Address: fmt.Sprintf("2001:db8:1:2::%x", i+1)}
		want := parley.ErrWrongPassword
		if i == maxGuesses {
			want = parley.ErrTooManyAttempts
		}
		if _, err := s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "wrong"}, from); !errors.Is(err, want) {
			t.Errorf("guess %d from %s: %v", i+1, from.Address, err)
		}
	}
}
