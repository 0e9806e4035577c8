package account

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"parley"
	"parley/internal/limit"
)

// After maxAttempts wrong passwords for one account from one network within attemptWindow,
// that network has to wait. The owner can still log in from elsewhere.
const (
	maxAttempts   = 10
	attemptWindow = 10 * time.Minute
	// maxAttemptKeys bounds the memory. Beyond it some failures are forgotten early.
	maxAttemptKeys = 100_000
)

type attemptKey struct {
	userID  int64
	network netip.Addr
}

// newGuesses returns a limiter that lets one guess of each key run at a time. At most queue wait, of all keys together.
func newGuesses(queue int) *limit.Fair[attemptKey] {
	return limit.NewFair[attemptKey](limit.FairConfig{Slots: math.MaxInt, SlotsPerKey: 1, Queue: queue})
}

// guess runs check, which returns an error of code 1003 for a wrong secret of a user. It limits wrong ones.
func (s *Service) guess(ctx context.Context, userID int64, from Caller, check func() error) error {
	key := attemptKey{userID: userID, network: guessNetwork(from.Address)}
	if wait := s.attempts.retryAfter(key, s.now()); wait > 0 {
		return parley.ErrTooManyAttempts.WithRetryAfter(wait)
	}
	// One at a time, so that those who wait see the failures of those before them.
	if err := s.guesses.Acquire(ctx, key); err != nil {
		return fmt.Errorf("wait to check a secret: %w", err)
	}
	defer s.guesses.Release(key)
	if wait := s.attempts.retryAfter(key, s.now()); wait > 0 {
		return parley.ErrTooManyAttempts.WithRetryAfter(wait)
	}
	err := check()
	switch {
	case errors.Is(err, parley.ErrWrongPassword):
		s.attempts.addFailure(key, s.now())
	case err == nil:
		s.attempts.reset(key)
	}
	return err
}

// Network returns the network of an address: an IPv4 address itself, or the first address
// of an IPv6 /64, since one client can usually use all of it.
func Network(address string) netip.Addr { return networkOf(address, 64) }

// guessNetwork returns the network whose guesses count together. Many providers give a
// customer an IPv6 /56.
func guessNetwork(address string) netip.Addr { return networkOf(address, 56) }

// networkOf returns an IPv4 address itself, or the first address of an IPv6 network.
func networkOf(address string, bits int) netip.Addr {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Addr{} // a connection without an address, such as a Unix socket
	}
	if a = a.Unmap(); a.Is4() {
		return a
	}
	prefix, _ := a.Prefix(bits)
	return prefix.Addr()
}

// attemptLimiter counts wrong passwords in memory. A restart resets it.
type attemptLimiter struct {
	mu          sync.Mutex
	failures    map[attemptKey][]time.Time // the latest ones, oldest first
	lastCleanup time.Time
}

func newAttemptLimiter() *attemptLimiter {
	return &attemptLimiter{failures: map[attemptKey][]time.Time{}}
}

// retryAfter returns how long the key has to wait. Zero means that it may try now.
func (l *attemptLimiter) retryAfter(key attemptKey, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := l.failures[key]
	if len(times) < maxAttempts {
		return 0
	}
	return max(0, times[len(times)-maxAttempts].Add(attemptWindow).Sub(now))
}

func (l *attemptLimiter) addFailure(key attemptKey, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removeExpired(now)
	times := append(l.failures[key], now)
	l.failures[key] = times[max(0, len(times)-maxAttempts):]
}

func (l *attemptLimiter) reset(key attemptKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.failures, key)
}

// removeExpired removes failures older than the window, at most once per window unless the
// limit of keys is reached.
func (l *attemptLimiter) removeExpired(now time.Time) {
	if now.Sub(l.lastCleanup) < attemptWindow && len(l.failures) < maxAttemptKeys {
		return
	}
	l.lastCleanup = now
	for key, times := range l.failures {
		if now.Sub(times[len(times)-1]) >= attemptWindow || len(l.failures) >= maxAttemptKeys {
			delete(l.failures, key)
		}
	}
}
