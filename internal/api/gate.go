package api

import (
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/account"
	"parley/internal/limit"
)

// gate lets a request in if its user is known, may call the operation and does not call too often.
type gate struct {
	accounts   *account.Service
	addresses  *buckets[netip.Addr]
	users      *buckets[int64]
	keyUsed    func(ctx context.Context, userID int64, key string) bool // whether a send has used the key before
	inProgress *limit.PerKey[int64]
	memory     *limit.ByteShares[int64] // for responses
	seed       maphash.Seed             // of addresses
	adminTOTP  bool                     // administrators need a second factor
	timeLimit  time.Duration
	journal    *journal
}

// authenticate admits a user's request. It runs before the input is validated.
func (g *gate) authenticate(allowed access) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		who, leave, err := g.admit(r, allowed)
		if err != nil {
			asFailure(err).write(w, r)
			return
		}
		defer leave()
		next(huma.WithValue(ctx, keyIdentity, who))
	}
}

// admit decides whether a request may be made, and returns who makes it. It checks the token or key and the user's
// rate. The request counts as in progress and holds its memory until the caller calls leave, after the last byte of
// the response.
func (g *gate) admit(r *http.Request, allowed access) (who *account.Identity, leave func(), err error) {
	limited, cancel := context.WithTimeout(r.Context(), g.timeLimit)
	defer cancel()
	if allowed.hidden() {
		who, err = g.identifyAdmin(limited, r)
	} else {
		who, err = g.identify(limited, r)
	}
	if err != nil {
		return nil, nil, g.journal.fail(limited, err)
	}
	user := who.User.ID
	if wait := g.limited(limited, r, user); wait > 0 {
		return nil, nil, parley.ErrTooManyRequests.WithRetryAfter(wait)
	}
	if err := allowed.check(who); err != nil {
		return nil, nil, err
	}
	if !g.inProgress.TryAcquire(user) {
		return nil, nil, parley.ErrTooManyOpen
	}
	hold := g.memory.Hold(user)
	infoOf(r.Context()).hold = hold
	return who, func() {
		hold.Release()
		g.inProgress.Release(user)
	}, nil
}

// identify returns the owner of the token or key of a request.
func (g *gate) identify(ctx context.Context, r *http.Request) (*account.Identity, error) {
	who, err := g.accounts.Authenticate(ctx, r.Header["Authorization"])
	if err == nil {
		noteUser(ctx, who.User.ID)
	}
	return who, err
}

// identifyAdmin is identify for operations that only administrators know of. Everybody else gets errNoSuchPath. If
// administrators need a second factor and this one has none, it returns parley.ErrAdminNeedsFactor.
func (g *gate) identifyAdmin(ctx context.Context, r *http.Request) (*account.Identity, error) {
	who, err := g.identify(ctx, r)
	switch {
	case errors.Is(err, parley.ErrBadToken):
		return nil, errNoSuchPath
	case err != nil:
		return nil, err
	}
	if err := admins.check(who); err != nil {
		return nil, err
	}
	if g.adminTOTP && !who.User.TOTP {
		return nil, parley.ErrAdminNeedsFactor
	}
	return who, nil
}

// limitAddresses limits the rate of each address.
func (g *gate) limitAddresses(next http.Handler) http.Handler {
	if g.addresses == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			info := infoOf(r.Context())
			info.wait = g.addresses.take(account.Network(info.address))
			if info.wait > 0 && sendKey(r) == "" { // if there is a key, admit decides
				writeError(w, r, parley.ErrTooManyRequests.WithRetryAfter(info.wait))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// limited returns how long a user has to wait, or zero if the request may proceed. It never limits a send that
// repeats an idempotency key.
func (g *gate) limited(ctx context.Context, r *http.Request, userID int64) time.Duration {
	wait := infoOf(ctx).wait
	if wait == 0 {
		wait = g.users.take(userID)
	}
	if wait == 0 {
		return 0
	}
	if key := sendKey(r); key != "" && g.keyUsed(ctx, userID, key) {
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

// shareByAddress gives each address a share of the memory for responses to reads without a token. Users have shares
// of the same memory.
func (g *gate) shareByAddress(ctx huma.Context, next func(huma.Context)) {
	ctx.SetHeader("X-Robots-Tag", noRobots)
	ctx.SetHeader("Referrer-Policy", noReferrer) // the link is a secret
	info := infoOf(ctx.Context())
	hash := maphash.Comparable(g.seed, account.Network(info.address))
	hold := g.memory.Hold(-1 - int64(hash>>1)) // negative, unlike the ids of users
	defer hold.Release()
	info.hold = hold
	next(ctx)
}
