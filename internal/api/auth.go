package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"parley"
	"parley/internal/account"
)

type contextKey int

const (
	keyIdentity contextKey = iota
	keyRequest
)

// authenticate checks the token or the key and the user's rate limit. It runs before the input is validated.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	if who := a.identify(w, r); who != nil {
		next(huma.WithValue(ctx, keyIdentity, who))
	}
}

// identify returns who makes a request. If it is refused, it writes the error and returns nil.
func (a *API) identify(w http.ResponseWriter, r *http.Request) *account.Identity {
	limited, cancel := context.WithTimeout(r.Context(), a.timeLimit())
	defer cancel()
	who, err := a.accounts.Authenticate(limited, r.Header["Authorization"])
	if err != nil {
		a.fail(limited, err).write(w, r)
		return nil
	}
	noteUser(r.Context(), who.User.ID)
	if wait := a.limited(limited, r, who.User.ID); wait > 0 {
		writeError(w, r, parley.ErrTooManyRequests.WithRetryAfter(wait))
		return nil
	}
	return who
}

// authenticateAdmin is authenticate for operations that only administrators know of. To everybody else it writes what
// an unknown path does.
func (a *API) authenticateAdmin(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	who, err := a.identifyAdmin(r)
	if err != nil {
		asFailure(err).write(w, r)
		return
	}
	if wait := a.limited(r.Context(), r, who.User.ID); wait > 0 {
		writeError(w, r, parley.ErrTooManyRequests.WithRetryAfter(wait))
		return
	}
	next(huma.WithValue(ctx, keyIdentity, who))
}

// identifyAdmin returns the administrator who makes a request, or errNoSuchPath. If administrators need a second factor
// and this one has none, it returns parley.ErrAdminNeedsFactor.
func (a *API) identifyAdmin(r *http.Request) (*account.Identity, error) {
	limited, cancel := context.WithTimeout(r.Context(), a.timeLimit())
	defer cancel()
	who, err := a.accounts.Authenticate(limited, r.Header["Authorization"])
	switch {
	case errors.Is(err, parley.ErrBadToken):
		return nil, errNoSuchPath
	case err != nil:
		return nil, a.fail(limited, err)
	}
	noteUser(r.Context(), who.User.ID)
	if err := admins.check(who); err != nil {
		return nil, err
	}
	if a.adminTOTP && !who.User.TOTP {
		return nil, parley.ErrAdminNeedsFactor
	}
	return who, nil
}

// authorize refuses keys that may not call an operation. It runs before the input is validated.
func authorize(allowed access) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if err := allowed.check(identity(ctx.Context())); err != nil {
			r, w := humachi.Unwrap(ctx)
			asFailure(err).write(w, r)
			return
		}
		next(ctx)
	}
}

// share limits how many requests of one user are in progress, from the token to the last byte of the response, and
// how much memory their responses take.
func (a *API) share(ctx huma.Context, next func(huma.Context)) {
	user := userID(ctx.Context())
	if !a.userRequests.TryAcquire(user) {
		r, w := humachi.Unwrap(ctx)
		writeError(w, r, parley.ErrTooManyOpen)
		return
	}
	defer a.userRequests.Release(user)
	hold := a.responses.Hold(user)
	defer hold.Release()
	infoOf(ctx.Context()).hold = hold
	next(ctx)
}

// identity returns the user of a request, with the login or the key. Only private operations have one.
func identity(ctx context.Context) *account.Identity {
	return ctx.Value(keyIdentity).(*account.Identity)
}

// userID returns the user of a request.
func userID(ctx context.Context) int64 { return identity(ctx).User.ID }

// caller returns the origin of a request.
func caller(ctx context.Context) account.Caller {
	info := infoOf(ctx)
	return account.Caller{Address: info.address, Client: info.client, RequestID: info.id}
}

// clientAddress returns the address of the client: that of the connection, or the one that trusted proxies forward.
func (a *API) clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if len(a.trustedProxies) == 0 && r.Header["X-Forwarded-For"] != nil {
		a.warnForwarded.Do(func() {
			a.log.Warn("X-Forwarded-For is ignored, since no proxy is trusted; behind one, all clients share its limits",
				"from", host, "setting", "PARLEY_TRUSTED_PROXIES")
		})
	}
	if len(a.trustedProxies) == 0 || !a.trusted(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		host = hop
		if !a.trusted(hop) {
			break
		}
	}
	return host
}

func (a *API) trusted(host string) bool {
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, prefix := range a.trustedProxies {
		if prefix.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}
