package account

import (
	"math"
	"net/netip"
	"sync"
	"time"

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

// attemptKey is an account and a network, or all codes of an account's second factor for one purpose.
type attemptKey struct {
	userID  int64
	network netip.Addr
	code    codePurpose
}

// codePurpose is what a code of the second factor is for. Each counts for itself: a right code for one purpose does not
// reset the wrong ones for another, nor the wrong passwords.
type codePurpose int

const (
	codeOfLogin codePurpose = iota + 1
	codeOfSetUp
	codeOfConfirmation
)

// guessKey returns the key of the guesses of a caller.
func guessKey(userID int64, from Caller) attemptKey {
	return attemptKey{userID: userID, network: guessNetwork(from.Address)}
}

// newGuesses returns a limiter that lets one guess of each key run at a time. At most queue wait, of all keys together.
func newGuesses(queue int) *limit.Fair[attemptKey] {
	return limit.NewFair[attemptKey](limit.FairConfig{Slots: math.MaxInt, SlotsPerKey: 1, Queue: queue})
}

// Network returns the network of an address: an IPv4 address itself, or the first address
// of an IPv6 /64, since one client can usually use all of it.
func Network(address string) netip.Addr { return networkOf(address, 64) }

// guessNetwork returns the network of an address. The guesses of one network count together. Many providers give a
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
