package websearch

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	maxAnswer    = 2 << 20
	maxHeader    = 64 << 10
	maxRedirects = 3
)

var errRedirect = errors.New("redirected elsewhere, which is not followed: check the search URL")

// client sends requests to one search service, within bounds of time and bytes.
type client struct {
	service  string
	endpoint *url.URL
	key      string
	timeout  time.Duration
	http     *http.Client
}

func newClient(service string, endpoint *url.URL, key string, timeout time.Duration) *client {
	return &client{
		service:  service,
		endpoint: endpoint,
		key:      key,
		timeout:  timeout,
		http: &http.Client{
			CheckRedirect: stayOnHost,
			Transport: &http.Transport{
				Proxy:                  http.ProxyFromEnvironment,
				ForceAttemptHTTP2:      true,
				MaxIdleConnsPerHost:    8,
				IdleConnTimeout:        90 * time.Second,
				MaxResponseHeaderBytes: maxHeader,
			},
		},
	}
}

// stayOnHost follows a redirect only within the host that was configured, and never
// from https back to http, since the key goes along.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	downgrade := first.Scheme == "https" && next.URL.Scheme != "https"
	if next.URL.Host != first.Host || downgrade || len(via) > maxRedirects {
		return errRedirect
	}
	return nil
}

// get asks with the parameters in the query string, beside those that the configured
// address has already.
func (c *client) get(ctx context.Context, parameters map[string]string, header http.Header) ([]byte, error) {
	address := *c.endpoint
	query := address.Query()
	for name, value := range parameters {
		query.Set(name, value)
	}
	address.RawQuery = query.Encode()
	return c.fetch(ctx, http.MethodGet, address.String(), header, nil)
}

// post asks with payload as JSON and the key as a bearer token.
func (c *client) post(ctx context.Context, payload any) ([]byte, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the request: %w", c.service, err)
	}
	header := http.Header{
		"Content-Type":  {"application/json"},
		"Authorization": {"Bearer " + c.key},
	}
	return c.fetch(ctx, http.MethodPost, c.endpoint.String(), header, body)
}

func (c *client) fetch(ctx context.Context, method, address string, header http.Header, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, c.failure("the request can't be made: check the search URL")
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Parley")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, &statusError{service: c.service, status: res.StatusCode}
	}
	// The limit is on the unpacked bytes, so that a compressed bomb ends there too.
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, c.broken(ctx, err)
	case len(answer) > maxAnswer:
		return nil, c.failure("the answer is larger than 2 MiB")
	case isPage(res.Header, answer):
		return nil, c.failure("a web page came instead of JSON: check the search URL")
	}
	return answer, nil
}

func isPage(header http.Header, answer []byte) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/html" || bytes.HasPrefix(bytes.TrimSpace(answer), []byte("<"))
}

// decode reads the answer into the fields of v.
func (c *client) decode(answer []byte, v any) error {
	if json.Unmarshal(answer, v) != nil {
		return c.unexpected()
	}
	return nil
}

func (c *client) unexpected() error {
	return c.failure("the answer is not what the service's API gives: check the search URL")
}

func (c *client) failure(what string) error {
	return fmt.Errorf("%s: %s", c.service, what)
}

// broken names why no whole answer came. Of the cause it keeps only what can't hold
// words of the request or of the other side: http's own errors quote both.
func (c *client) broken(ctx context.Context, cause error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: no answer in time: %w", c.service, ctx.Err())
	case errors.Is(cause, errRedirect):
		return fmt.Errorf("%s: %w", c.service, errRedirect)
	case errors.As(cause, &network):
		return fmt.Errorf("%s: %w", c.service, network)
	case errors.As(cause, &certificate):
		return fmt.Errorf("%s: %w", c.service, certificate)
	case errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF):
		return c.failure("the connection ended before the answer did")
	}
	return c.failure("the answer is not valid HTTP")
}

// statusError is an answer that says no.
type statusError struct {
	service string
	status  int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %s (HTTP %d)", e.service, e.reason(), e.status)
}

func (e *statusError) reason() string {
	switch {
	case e.status == http.StatusUnauthorized:
		return "the API key was refused"
	case e.status == http.StatusForbidden:
		return "access was refused"
	case e.status == http.StatusTooManyRequests:
		return "too many searches, or the quota is used up"
	case e.status >= 500:
		return "the service failed"
	}
	return "the request was refused"
}
