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

// gate lets requests in: those of users who are known, who may call the operation, and who do not call too much.
type gate struct {
	accounts   *account.Service
	addresses  *buckets[netip.Addr]
	users      *buckets[int64]
	keyUsed    func(ctx context.Context, userID int64, key string) bool // of a send
	inProgress *limit.PerKey[int64]
	memory     *limit.ByteShares[int64] // for responses
	seed       maphash.Seed             // of addresses
	adminTOTP  bool                     // administrators need a second factor
	timeLimit  time.Duration
	journal    *journal
}

// authenticate lets a user's requests in, as admit does. It runs before the input is validated.
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

// admit returns who makes a request, if it may be made: it checks the token or the key, and how many requests the user
// makes. The request counts as in progress, and its memory is held, until leave is called after the last byte of the
// response.
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

// identify returns whose token or key a request has.
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
			if info.wait > 0 && sendKey(r) == "" { // with a key, admit decides
				writeError(w, r, parley.ErrTooManyRequests.WithRetryAfter(info.wait))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// limited returns how long a user has to wait; zero if the request may proceed. Repeating a send with the same
// idempotency key is never limited.
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

// shareByAddress shares the memory for the responses to reads without a token among addresses, as it is shared among
// users otherwise.
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
