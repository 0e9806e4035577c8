// Package client talks to a Parley server over its HTTP API.
//
// Inputs and answers are the types of package parley. An operation that the server
// refuses returns an *Error. Time is bounded by the context of each call; what is
// read of an answer is bounded in size.
package client

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// headerTimeout is how long the usual HTTP client waits for an answer to begin: a
// server answers or begins a stream within its request time-out, 10 s unless set.
const headerTimeout = time.Minute

// Client is one user's access to a server. It is safe for concurrent use.
type Client struct {
	base  string
	http  *http.Client
	token atomic.Pointer[string]
}

// Option changes how a Client is made.
type Option func(*Client)

// WithHTTPClient makes the requests through h. Its Timeout, if set, also cuts streams.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) { c.http = h }
}

// WithToken begins with a token that an earlier login gave.
func WithToken(token string) Option {
	return func(c *Client) { c.token.Store(&token) }
}

// New returns a client of the server at baseURL, such as "http://127.0.0.1:8080".
func New(baseURL string, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(baseURL, "/")}
	c.token.Store(new(string))
	for _, option := range options {
		option(c)
	}
	if c.http == nil {
		c.http = &http.Client{Transport: usualTransport()}
	}
	return c
}

func usualTransport() http.RoundTripper {
	usual, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := usual.Clone()
	own.ResponseHeaderTimeout = headerTimeout
	return own
}

// WithToken returns a client of the same server that uses token; an empty one is none.
// The two share their connections.
func (c *Client) WithToken(token string) *Client {
	return New(c.base, WithHTTPClient(c.http), WithToken(token))
}

// Token is the token in use: the one of the last Login or Register, or empty.
func (c *Client) Token() string {
	return *c.token.Load()
}
