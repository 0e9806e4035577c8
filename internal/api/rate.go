package api

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/account"
)

// Rate is a number of requests in a stretch of time; the zero Rate is no limit.
type Rate struct {
	Requests int
	Per      time.Duration
}

// maxCallers bounds the memory of a generation of callers: with IPv6 addresses a few
// megabytes. Beyond it those who have not come for longest are forgotten early.
const maxCallers = 1 << 16

// buckets limits how often each caller may come. A caller has a bucket of tokens, as
// many as requests are allowed, that fills up again within the stretch of time; each
// request takes one. All that is kept of a bucket is when it will be full.
//
// There are two generations of buckets. One that nobody takes from is full again after
// Per and can be forgotten, so after Per the younger becomes the older one, and that is
// dropped: no bucket is ever looked for.
type buckets[K comparable] struct {
	per   time.Duration
	token time.Duration // in which one comes
	now   func() time.Time
	began time.Time

	mu         sync.Mutex
	young, old map[K]time.Duration // since began
	turned     time.Duration
}

// newBuckets is nil for no limit.
func newBuckets[K comparable](rate Rate, now func() time.Time) *buckets[K] {
	if rate.Requests == 0 {
		return nil
	}
	return &buckets[K]{per: rate.Per, token: rate.Per / time.Duration(rate.Requests), now: now, began: now(), young: map[K]time.Duration{}}
}

// take takes a token for a request and returns zero, or how long there will be none.
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

// limitAddresses turns away requests from an address that come too often. It comes
// before anything costly is done.
func (a *API) limitAddresses(next http.Handler) http.Handler {
	if a.addresses == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, apiPrefix) {
			about := aboutRequest(r.Context())
			about.wait = a.addresses.take(account.Network(about.address))
			if about.wait > 0 && sendKey(r) == "" { // else authenticate decides
				writeError(w, parley.ErrTooManyRequests.After(about.wait))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// limited is how long a user has to wait with a request; zero is not at all. Sending
// again what was sent before is always free.
func (a *API) limited(ctx context.Context, r *http.Request, who account.Identity) time.Duration {
	wait := aboutRequest(ctx).wait
	if wait == 0 {
		wait = a.users.take(who.User.ID)
	}
	if wait == 0 {
		return 0
	}
	if key := sendKey(r); key != "" && a.chat.KeyUsed(ctx, who.User.ID, key) {
		return 0
	}
	return wait
}

// sendKey is the idempotency key of a send, if it has one.
func sendKey(r *http.Request) string {
	if r.URL.Path != "/api/chat/send" && r.URL.Path != "/api/chat/stream" {
		return ""
	}
	return r.Header.Get("Idempotency-Key")
}
