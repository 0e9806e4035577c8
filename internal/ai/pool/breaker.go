package pool

import "time"

const (
	// maxFailures is how many failures in a row make a server rest.
	maxFailures = 3
	// firstRest is the first rest of a server. Each failure after a rest doubles it, up to longestRest.
	firstRest   = 5 * time.Second
	longestRest = 5 * time.Minute
)

// breaker decides whether a server is asked. After a rest one request is let through. If that fails, the server rests
// for longer.
type breaker struct {
	failures int           // in a row
	rest     time.Duration // the current or last rest; 0 after a success
	until    time.Time     // the end of the rest; zero if there is none
	probing  bool          // the request after a rest is in progress
}

// resting reports whether the server rests.
func (b *breaker) resting(now time.Time) bool { return now.Before(b.until) }

// ready reports whether the server may be asked.
func (b *breaker) ready(now time.Time) bool { return !b.resting(now) && !b.probing }

// begin notes that the server is asked.
func (b *breaker) begin(now time.Time) { b.probing = !b.until.IsZero() && !b.resting(now) }

// succeed notes that the server works.
func (b *breaker) succeed() { *b = breaker{} }

// fail notes a failure. It reports whether the server rests from now on. Failures of requests that began before the
// rest do not make it longer.
func (b *breaker) fail(now time.Time) bool {
	b.probing = false
	if b.resting(now) {
		return false
	}
	if b.failures++; b.failures < maxFailures {
		return false
	}
	b.rest = min(max(2*b.rest, firstRest), longestRest)
	b.until = now.Add(b.rest)
	return true
}

// release notes that a request was given up and says nothing about the server.
func (b *breaker) release() { b.probing = false }
