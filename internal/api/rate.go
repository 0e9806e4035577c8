package api

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"parley"
	"parley/internal/account"
)

// Rate is a number of requests per period. The zero Rate means no limit.
type Rate struct {
	Requests int
	Per      time.Duration
}

// maxCallers limits a generation of buckets to a few megabytes. Beyond it, the oldest buckets are dropped early.
const maxCallers = 1 << 16

// buckets limits the rate of each caller. A caller has a bucket of tokens that refills within Per, and each
// request takes one. Only the time at which a bucket is full again is stored.
//
// An unused bucket is full after Per and can be dropped. So there are two generations: after Per the young one
// becomes the old one, and the old one is dropped.
type buckets[K comparable] struct {
	per   time.Duration
	token time.Duration // in which one token is added
	now   func() time.Time
	began time.Time

	mu         sync.Mutex
	young, old map[K]time.Duration // since began
	turned     time.Duration
}

// newBuckets returns nil if there is no limit.
func newBuckets[K comparable](rate Rate, now func() time.Time) *buckets[K] {
	if rate.Requests == 0 {
		return nil
	}
	return &buckets[K]{
		per:   rate.Per,
		token: rate.Per / time.Duration(rate.Requests),
		now:   now,
		began: now(),
		young: map[K]time.Duration{},
	}
}

// take takes a token and returns zero. If there is none, it returns how long to wait.
func (b *buckets[K]) take(key K) (wait time.Duration) {
	if b == nil {
		return 0
	}
	now := b.now().Sub(b.began)
	b.mu.Lock()
	defer b.mu.Unlock()
	if now-b.turned >= b.per || len(b.young) >= maxCallers {
		b.young, b.old, b.turned = make(map[K]time.Duration), b.young, now
	}
	full, known := b.young[key]
	if !known {
		full = b.old[key]
	}
	full = max(full, now) + b.token
	if wait = full - now - b.per; wait > 0 {
		return wait
	}
	b.young[key] = full
	return 0
}

// entries limits the ways in: how often an address may log in, register or request a new password.
type entries struct {
	logins, registrations, resets entry
}

// entry limits one way in. It does not limit a loopback address: this belongs to programs on this machine, or to an
// untrusted proxy that all users share.
type entry struct {
	*buckets[netip.Addr]
}

func (e entry) limit(ctx context.Context) error {
	network := account.Network(infoOf(ctx).address)
	if network.IsLoopback() {
		return nil
	}
	if wait := e.take(network); wait > 0 {
		return parley.ErrTooManyRequests.WithRetryAfter(wait)
	}
	return nil
}
