package ai

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	dialTimeout = 10 * time.Second
	// maxHead bounds the head of an answer in bytes.
	maxHead = 64 << 10
	// Prompts and events are written and read in small pieces, and streams are many.
	connBuffer = 1 << 10
	// Connections without a request are kept, for so long and so many to one host.
	idleTime    = 90 * time.Second
	idlePerHost = 256
)

// dialer opens connections, as net.Dialer's DialContext does.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Transport carries requests to model servers; it is fit for many streams at once to
// few hosts. Plain HTTP goes over connections of our own, which cost little memory,
// TLS and proxies are net/http's business.
type Transport struct {
	direct *direct
	other  *http.Transport
}

// NewTransport returns a transport without connections.
func NewTransport() *Transport {
	dial := (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	return &Transport{
		direct: newDirect(dial),
		other: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dial,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    dialTimeout,
			MaxIdleConnsPerHost:    idlePerHost,
			IdleConnTimeout:        idleTime,
			MaxResponseHeaderBytes: maxHead,
			DisableCompression:     true,
			ReadBufferSize:         connBuffer,
			WriteBufferSize:        connBuffer,
		},
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.isDirect(req) {
		return t.direct.RoundTrip(req)
	}
	return t.other.RoundTrip(req)
}

// isDirect reports whether the request's host is spoken to in plain HTTP, without a
// proxy between, by a name that needs no encoding.
func (t *Transport) isDirect(req *http.Request) bool {
	if req.URL.Scheme != "http" || strings.ContainsFunc(req.URL.Host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	proxy, err := t.other.Proxy(req)
	return err == nil && proxy == nil
}

// CloseIdleConnections closes the connections that no request uses.
func (t *Transport) CloseIdleConnections() {
	t.direct.CloseIdleConnections()
	t.other.CloseIdleConnections()
}
