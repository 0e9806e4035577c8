// Package client is a client of Parley's HTTP API.
//
// Inputs and outputs are the types of package parley. An operation that the server refuses
// returns an *Error. The context of a call bounds its time. The size of a response is limited.
package client

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// headerTimeout is how long the default HTTP client waits for the header of a response. A server
// sends it within its request timeout, 10 s by default. Uploads have no such limit: the server
// responds once it has read the document, which takes minutes for a long scan.
const headerTimeout = time.Minute

// Client calls a server as one user. It is safe for concurrent use.
type Client struct {
	base     string
	http     *http.Client
	uploads  *http.Client // the same as http if the caller set it
	language string
	token    atomic.Pointer[string]
}

// Option is an option of New.
type Option func(*Client)

// WithHTTPClient sends requests through h. Its Timeout, if set, also ends streams and uploads.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) { c.http, c.uploads = h, h }
}

// WithToken sets a token from an earlier login, or a key.
func WithToken(token string) Option {
	return func(c *Client) { c.token.Store(&token) }
}

// WithLanguage asks for the messages of errors in a language: "zh" is Chinese. The default is English.
func WithLanguage(tag string) Option {
	return func(c *Client) { c.language = tag }
}

// New returns a client of the server at baseURL, such as "http://127.0.0.1:8080".
func New(baseURL string, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(baseURL, "/")}
	c.token.Store(new(string))
	for _, option := range options {
		option(c)
	}
	if c.http == nil {
		c.http = &http.Client{Transport: defaultTransport(headerTimeout)}
		c.uploads = &http.Client{Transport: defaultTransport(0)}
	}
	return c
}

func defaultTransport(headerTimeout time.Duration) http.RoundTripper {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	transport = transport.Clone()
	transport.ResponseHeaderTimeout = headerTimeout
	return transport
}

// WithToken returns a client of the same server that uses token, which may be empty. The two
// clients share their connections.
func (c *Client) WithToken(token string) *Client {
	other := &Client{base: c.base, http: c.http, uploads: c.uploads, language: c.language}
	other.token.Store(&token)
	return other
}

// Token returns the token in use: the one of the last Login or Register, or empty.
func (c *Client) Token() string {
	return *c.token.Load()
}
