package api

import (
	"context"
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

// authenticate lets a request pass whose token is good. It comes before the inputs
// are looked at.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	token, ok := bearer(r.Header["Authorization"])
	if !ok {
		writeError(w, parley.ErrBadToken)
		return
	}
	limited, cancel := context.WithTimeout(r.Context(), a.timeLimit())
	defer cancel()
	who, err := a.accounts.Identify(limited, token)
	if err != nil {
		a.fail(limited, err).write(w)
		return
	}
	noteUser(r.Context(), who.User.ID)
	if wait := a.limited(limited, r, who); wait > 0 {
		writeError(w, parley.ErrTooManyRequests.After(wait))
		return
	}
	next(huma.WithValue(ctx, keyIdentity, who))
}

// bearer takes the token out of the one Authorization header.
func bearer(headers []string) (string, bool) {
	if len(headers) != 1 {
		return "", false
	}
	scheme, token, found := strings.Cut(headers[0], " ")
	return strings.TrimSpace(token), found && strings.EqualFold(scheme, "Bearer")
}

// identity is whose request it is. Only private operations have one.
func identity(ctx context.Context) account.Identity {
	return ctx.Value(keyIdentity).(account.Identity)
}

// userID is the user whose request it is.
func userID(ctx context.Context) int64 { return identity(ctx).User.ID }

// caller is where a request comes from.
func caller(ctx context.Context) account.Caller {
	about := aboutRequest(ctx)
	return account.Caller{Address: about.address, Client: about.client, RequestID: about.id}
}

// clientAddress is the address a request comes from: its connection's, or what the
// trusted proxies before it say.
func (a *API) clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
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
