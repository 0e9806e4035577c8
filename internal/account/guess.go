package account

import (
	"net/netip"
	"sync"
	"time"
)

// Guessing: this many wrong passwords for one account from one address within the
// window, and that address has to wait. The owner elsewhere still gets in.
const (
	maxGuesses  = 10
	guessWindow = 10 * time.Minute
	// maxGuessers bounds the memory; past it some are forgotten early.
	maxGuessers = 100_000
)

type guessKey struct {
	userID  int64
	network netip.Addr
}

// Network is what counts as one address: with IPv6 a whole /64, since whoever has one
// address there has them all.
func Network(address string) netip.Addr {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Addr{} // of a connection without one, such as a socket in a folder
	}
	if a = a.Unmap(); a.Is4() {
		return a
	}
	prefix, _ := a.Prefix(64)
	return prefix.Addr()
}

// guesses counts wrong passwords. It lives in memory: a restart forgives.
type guesses struct {
	mu    sync.Mutex
	wrong map[guessKey][]time.Time // the latest, oldest first
	swept time.Time
}

func newGuesses() *guesses {
	return &guesses{wrong: map[guessKey][]time.Time{}}
}

// wait says how long the key has to wait; zero means that it may try.
func (g *guesses) wait(key guessKey, now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	times := g.wrong[key]
	if len(times) < maxGuesses {
		return 0
	}
	return max(0, times[len(times)-maxGuesses].Add(guessWindow).Sub(now))
}

func (g *guesses) failed(key guessKey, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sweep(now)
	times := append(g.wrong[key], now)
	g.wrong[key] = times[max(0, len(times)-maxGuesses):]
}

func (g *guesses) forgive(key guessKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.wrong, key)
}

// sweep forgets what is past the window, at most once a window unless memory is short.
func (g *guesses) sweep(now time.Time) {
	if now.Sub(g.swept) < guessWindow && len(g.wrong) < maxGuessers {
		return
	}
	g.swept = now
	for key, times := range g.wrong {
		if now.Sub(times[len(times)-1]) >= guessWindow || len(g.wrong) >= maxGuessers {
			delete(g.wrong, key)
		}
	}
}
