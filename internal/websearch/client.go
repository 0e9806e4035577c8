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

	"parley"
)

const (
	maxResponse  = 2 << 20
	maxHeader    = 64 << 10
	maxRedirects = 3
)

var errRedirect = errors.New("redirected elsewhere, which is not followed: check the search URL")

// client sends requests to one search service, and limits their time and the size of responses.
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

// stayOnHost rejects redirects to other hosts and from https to http, because requests carry the key.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	downgrade := first.Scheme == "https" && next.URL.Scheme != "https"
	if next.URL.Host != first.Host || downgrade || len(via) > maxRedirects {
		return errRedirect
	}
	return nil
}

// get sends a GET request. It adds the parameters to those of the configured URL.
func (c *client) get(ctx context.Context, parameters map[string]string, header http.Header) ([]byte, error) {
	address := *c.endpoint
	query := address.Query()
	for name, value := range parameters {
		query.Set(name, value)
	}
	address.RawQuery = query.Encode()
	return c.fetch(ctx, http.MethodGet, address.String(), header, nil)
}

// post sends payload as JSON, with the key as a bearer token.
func (c *client) post(ctx context.Context, payload any) ([]byte, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("%s: encode request: %w", c.service, err)
	}
	header := http.Header{
		"Content-Type":  {"application/json"},
		"Authorization": {"Bearer " + c.key},
	}
	return c.fetch(ctx, http.MethodPost, c.endpoint.String(), header, body)
}

func (c *client) fetch(
	ctx context.Context, method, address string, header http.Header, body []byte,
) ([]byte, error) {
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
		return nil, c.incomplete(ctx, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, &statusError{service: c.service, status: res.StatusCode}
	}
	// The limit applies to the decompressed bytes.
	data, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	switch {
	case err != nil:
		return nil, c.incomplete(ctx, err)
	case len(data) > maxResponse:
		return nil, c.failure("the response is larger than 2 MiB")
	case isPage(res.Header, data):
		return nil, c.failure("the response is a web page, not JSON: check the search URL")
	}
	return data, nil
}

func isPage(header http.Header, data []byte) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/html" || bytes.HasPrefix(bytes.TrimSpace(data), []byte("<"))
}

func (c *client) decode(data []byte, v any) error {
	if json.Unmarshal(data, v) != nil {
		return c.unexpected()
	}
	return nil
}

func (c *client) unexpected() error {
	return c.failure("the response is not of the service's API: check the search URL")
}

func (c *client) failure(message string) error {
	return fmt.Errorf("%s: %s", c.service, message)
}

// incomplete returns the error for a response that could not be read. It includes only causes that can't hold
// text of the request or the response, which the errors of net/http may quote.
func (c *client) incomplete(ctx context.Context, cause error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: no response in time: %w", c.service, ctx.Err())
	case errors.Is(cause, errRedirect):
		return fmt.Errorf("%s: %w", c.service, errRedirect)
	case errors.As(cause, &network):
		return fmt.Errorf("%s: %w", c.service, network)
	case errors.As(cause, &certificate):
		return fmt.Errorf("%s: %w", c.service, certificate)
	case errors.Is(cause, io.EOF), errors.Is(cause, io.ErrUnexpectedEOF):
		return c.failure("the connection ended before the response did")
	}
	return c.failure("the response is not valid HTTP")
}

// statusError is a response with a status other than 200.
type statusError struct {
	service string
	status  int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %s (HTTP %d)", e.service, e.reason(), e.status)
}

// ReasonOf returns why a search has failed: one of parley's reasons.
func ReasonOf(err error) string {
	var refused *statusError
	var network *net.OpError
	switch {
	case errors.As(err, &refused):
		return refused.kind()
	case errors.As(err, &network), errors.Is(err, context.DeadlineExceeded):
		return parley.ReasonUnreachable
	}
	return parley.ReasonFailed
}

func (e *statusError) kind() string {
	switch e.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return parley.ReasonKey
	case http.StatusTooManyRequests, http.StatusPaymentRequired:
		return parley.ReasonQuota
	}
	return parley.ReasonFailed
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
