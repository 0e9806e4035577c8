package api

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"parley"
	"parley/internal/account"
)

// Rate is a number of requests per period. The zero Rate does not limit.
type Rate struct {
	Requests int
	Per      time.Duration
}

// maxCallers bounds a generation of buckets to a few megabytes. Beyond it the oldest buckets are dropped early.
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

// newBuckets returns nil if the rate does not limit.
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

// take takes a token and returns zero, or returns how long to wait for one.
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

// limitAddresses limits the rate of each address.
func (a *API) limitAddresses(next http.Handler) http.Handler {
	if a.addresses == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			info := infoOf(r.Context())
			info.wait = a.addresses.take(account.Network(info.address))
			if info.wait > 0 && sendKey(r) == "" { // with a key, admit decides
				writeError(w, r, parley.ErrTooManyRequests.WithRetryAfter(info.wait))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// limitEntry limits the logins or the registrations of an address. A loopback address has no limit: it belongs to
// programs of this machine, or to a proxy that is not trusted, through which all users have it.
func limitEntry(ctx context.Context, rate *buckets[netip.Addr]) error {
	network := account.Network(infoOf(ctx).address)
	if network.IsLoopback() {
		return nil
	}
	if wait := rate.take(network); wait > 0 {
		return parley.ErrTooManyRequests.WithRetryAfter(wait)
	}
	return nil
}

// limited returns how long a user has to wait; zero if the request may proceed. Repeating a send with the same
// idempotency key is never limited.
func (a *API) limited(ctx context.Context, r *http.Request, userID int64) time.Duration {
	wait := infoOf(ctx).wait
	if wait == 0 {
		wait = a.users.take(userID)
	}
	if wait == 0 {
		return 0
	}
	if key := sendKey(r); key != "" && a.chat.KeyUsed(ctx, userID, key) {
		return 0
	}
	return wait
}

// sendKey returns the idempotency key of a send, if there is one.
func sendKey(r *http.Request) string {
	if r.URL.Path != "/api/chat/send" && r.URL.Path != "/api/chat/stream" {
		return ""
	}
	return r.Header.Get(idempotencyKey)
}
