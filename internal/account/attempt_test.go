package account

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"parley"
)

var anybody = attemptKey{userID: 1, network: Network("192.0.2.1")}

func TestTenWrongGuessesHaveToWaitUntilTheWindowHasPassed(t *testing.T) {
	l := newAttemptLimiter()
	now := time.Unix(1_767_225_600, 0)
	mine, elsewhere := anybody, attemptKey{userID: 1, network: Network("192.0.2.2")}
	another := attemptKey{userID: 2, network: Network("192.0.2.1")}
	for i := range maxAttempts {
		if wait := l.retryAfter(mine, now); wait != 0 {
			t.Fatalf("guess %d has to wait %v", i+1, wait)
		}
		l.addFailure(mine, now)
		now = now.Add(time.Second)
	}
	if wait := l.retryAfter(mine, now); wait != attemptWindow-maxAttempts*time.Second {
		t.Errorf("after ten it has to wait %v", wait)
	}
	for _, other := range []attemptKey{elsewhere, another} {
		if wait := l.retryAfter(other, now); wait != 0 {
			t.Errorf("%v has to wait %v", other, wait)
		}
	}
	// The window passes for the first guess, then for the second.
	now = now.Add(attemptWindow - maxAttempts*time.Second)
	if wait := l.retryAfter(mine, now); wait != 0 {
		t.Errorf("after the window it has to wait %v", wait)
	}
	l.addFailure(mine, now)
	if wait := l.retryAfter(mine, now); wait != time.Second {
		t.Errorf("after one more it has to wait %v", wait)
	}
}

func TestGuessesFarApartNeverHaveToWait(t *testing.T) {
	l := newAttemptLimiter()
	now := time.Unix(1_767_225_600, 0)
	for range 100 {
		if wait := l.retryAfter(anybody, now); wait != 0 {
			t.Fatalf("it has to wait %v", wait)
		}
		l.addFailure(anybody, now)
		now = now.Add(attemptWindow/maxAttempts + time.Second)
	}
}

func TestTheRightPasswordForgives(t *testing.T) {
	l := newAttemptLimiter()
	now := time.Unix(1_767_225_600, 0)
	for range maxAttempts - 1 {
		l.addFailure(anybody, now)
	}
	l.reset(anybody)
	for range maxAttempts - 1 {
		l.addFailure(anybody, now)
	}
	if wait := l.retryAfter(anybody, now); wait != 0 {
		t.Errorf("it has to wait %v", wait)
	}
}

func TestTheMemoryOfGuessesIsBounded(t *testing.T) {
	l := newAttemptLimiter()
	now := time.Unix(1_767_225_600, 0)
	for i := range maxAttemptKeys + 10 {
		l.addFailure(attemptKey{userID: 1, network: netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})}, now)
	}
	if len(l.failures) > maxAttemptKeys {
		t.Errorf("%d guessers are remembered", len(l.failures))
	}
	for range 1000 {
		l.addFailure(anybody, now)
	}
	if n := len(l.failures[anybody]); n > maxAttempts {
		t.Errorf("%d guesses of one are remembered", n)
	}
	now = now.Add(attemptWindow)
	l.addFailure(attemptKey{userID: 2, network: anybody.network}, now)
	if len(l.failures) != 1 {
		t.Errorf("%d guessers are remembered after the window", len(l.failures))
	}
}

func TestANetworkOfIPv6CountsAsOneAddress(t *testing.T) {
	for _, same := range [][2]string{
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"},
		{"192.0.2.1", "::ffff:192.0.2.1"},
		{"fe80::1%eth0", "fe80::2"},
	} {
		if Network(same[0]) != Network(same[1]) || guessNetwork(same[0]) != guessNetwork(same[1]) {
			t.Errorf("%s and %s are different networks", same[0], same[1])
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
	for i := range maxAttempts + 1 {
		from := Caller{Address: fmt.Sprintf("2001:db8:1:2%x::%x", i, i+1)} // of one /56
		want := parley.ErrWrongPassword
		if i == maxAttempts {
			want = parley.ErrTooManyAttempts
		}
		_, err := s.Login(t.Context(), parley.LoginInput{Email: "ada@example.com", Password: "wrong"}, from)
		if !errors.Is(err, want) {
			t.Errorf("guess %d from %s: %v", i+1, from.Address, err)
		}
	}
}
