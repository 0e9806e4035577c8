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

// authenticate lets a user's requests in, as admit does. It runs before the input is validated.
func (a *API) authenticate(allowed access) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		who, leave, err := a.admit(r, allowed)
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
func (a *API) admit(r *http.Request, allowed access) (who *account.Identity, leave func(), err error) {
	limited, cancel := context.WithTimeout(r.Context(), a.timeLimit())
	defer cancel()
	if allowed.hidden() {
		who, err = a.identifyAdmin(limited, r)
	} else {
		who, err = a.identify(limited, r)
	}
	if err != nil {
		return nil, nil, a.fail(limited, err)
	}
	user := who.User.ID
	if wait := a.limited(limited, r, user); wait > 0 {
		return nil, nil, parley.ErrTooManyRequests.WithRetryAfter(wait)
	}
	if err := allowed.check(who); err != nil {
		return nil, nil, err
	}
	if !a.userRequests.TryAcquire(user) {
		return nil, nil, parley.ErrTooManyOpen
	}
	hold := a.responses.Hold(user)
	infoOf(r.Context()).hold = hold
	return who, func() {
		hold.Release()
		a.userRequests.Release(user)
	}, nil
}

// identify returns whose token or key a request has.
func (a *API) identify(ctx context.Context, r *http.Request) (*account.Identity, error) {
	who, err := a.accounts.Authenticate(ctx, r.Header["Authorization"])
	if err == nil {
		noteUser(ctx, who.User.ID)
	}
	return who, err
}

// identifyAdmin is identify for operations that only administrators know of. Everybody else gets errNoSuchPath. If
// administrators need a second factor and this one has none, it returns parley.ErrAdminNeedsFactor.
func (a *API) identifyAdmin(ctx context.Context, r *http.Request) (*account.Identity, error) {
	who, err := a.identify(ctx, r)
	switch {
	case errors.Is(err, parley.ErrBadToken):
		return nil, errNoSuchPath
	case err != nil:
		return nil, err
	}
	if err := admins.check(who); err != nil {
		return nil, err
	}
	if a.adminTOTP && !who.User.TOTP {
		return nil, parley.ErrAdminNeedsFactor
	}
	return who, nil
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
