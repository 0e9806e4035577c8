package oidc

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	maxResponse = 1 << 20
	maxHeader   = 64 << 10
)

// client calls a provider. It bounds the time and the size of responses. Redirects are not followed: a provider has the
// addresses that its discovery document names.
type client struct{ http *http.Client }

func newClient(timeout time.Duration) *client {
	return &client{&http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: boundedTransport{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
		}},
	}}
}

// with returns a context that makes go-oidc and oauth2 use the client.
func (c *client) with(ctx context.Context) context.Context { return oidc.ClientContext(ctx, c.http) }

// boundedTransport ends responses that are too large with an error.
type boundedTransport struct{ http.RoundTripper }

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, maxResponse)
	return response, nil
}

// CloseIdleConnections is called by the client's method of the same name.
func (t boundedTransport) CloseIdleConnections() {
	if closer, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// plain returns an error of a call without the text of the response, which may be long or hold a secret.
func plain(err error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	var mismatch *oidc.IssuerMismatchError
	var large *http.MaxBytesError
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &mismatch):
		return mismatch
	case errors.As(err, &large):
		return errors.New("a response is larger than 1 MiB")
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &slow) && slow.Timeout():
		return errors.New("no response in time")
	case errors.As(err, &network):
		return network
	}
	return errors.New("the response is not one of OpenID Connect")
}

// maxReason bounds what the log has of an error that may quote a response.
const maxReason = 300

// brief returns the beginning of an error's text.
func brief(err error) string {
	text := err.Error()
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "")
	}
	return text
}
