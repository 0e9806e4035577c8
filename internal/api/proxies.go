package api

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// proxies determines who a client is and how it reaches this server.
type proxies struct {
	trusted []netip.Prefix // they may set X-Forwarded-For and X-Forwarded-Proto
	log     *slog.Logger
	warn    sync.Once // about an untrusted proxy
}

// client returns the address of the client: the one of the connection, or the one that trusted proxies forward.
func (p *proxies) client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	if len(p.trusted) == 0 && r.Header["X-Forwarded-For"] != nil {
		p.warn.Do(func() {
			p.log.Warn("X-Forwarded-For is ignored, since no proxy is trusted; behind one, all clients share its limits",
				"from", host, "setting", "PARLEY_TRUSTED_PROXIES")
		})
	}
	if len(p.trusted) == 0 || !p.trusts(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		host = hop
		if !p.trusts(hop) {
			break
		}
	}
	return host
}

func (p *proxies) trusts(host string) bool {
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, prefix := range p.trusted {
		if prefix.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}

// origin is the scheme and host that a client used to reach this server.
type origin struct {
	https bool
	host  string
}

// origin returns the origin of a request. A trusted proxy says whether the client uses HTTPS.
func (p *proxies) origin(r *http.Request) origin {
	https := r.TLS != nil
	if !https && r.Header.Get("X-Forwarded-Proto") == "https" {
		address, _, err := net.SplitHostPort(r.RemoteAddr)
		https = err == nil && p.trusts(address)
	}
	return origin{https: https, host: r.Host}
}

func (o origin) url() string {
	if o.https {
		return "https://" + o.host
	}
	return "http://" + o.host
}
