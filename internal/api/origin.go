package api

import (
	"net"
	"net/http"
)

// origin is the scheme and the host by which a client has reached this server.
type origin struct {
	https bool
	host  string
}

// origin returns the origin of a request. A trusted proxy tells whether the client uses HTTPS.
func (a *API) origin(r *http.Request) origin {
	https := r.TLS != nil
	if !https && r.Header.Get("X-Forwarded-Proto") == "https" {
		address, _, err := net.SplitHostPort(r.RemoteAddr)
		https = err == nil && a.trusted(address)
	}
	return origin{https: https, host: r.Host}
}

func (o origin) url() string {
	if o.https {
		return "https://" + o.host
	}
	return "http://" + o.host
}
