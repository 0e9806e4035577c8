package embed

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// maxResponse is enough for MaxTexts vectors of 4,096 numbers.
	maxResponse = 16 << 20
	maxHeader   = 64 << 10
	// maxPause limits how long a server can make its callers wait.
	maxPause = 10 * time.Minute
)

// Failure is why there are no vectors. It has no text of the request or the response.
type Failure struct {
	Reason string
	// Status is the HTTP status of a refusal, or 0.
	Status int
	// Texts is set if other texts may succeed.
	Texts bool
	// RetryAfter is how long the server wants to be left alone; 0 if it has not said so.
	RetryAfter time.Duration
	cause      error
}

// Error implements error.
func (f *Failure) Error() string {
	if f.cause != nil {
		return "embeddings: " + f.Reason + ": " + f.cause.Error()
	}
	return "embeddings: " + f.Reason
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.cause }

// unusable returns the failure of a complete response that has no usable vectors. Those of other texts may be.
func unusable(reason string) *Failure { return &Failure{Reason: reason, Texts: true} }

// caller sends requests to one address.
type caller struct {
	address *url.URL
	key     string
	timeout time.Duration
	http    *http.Client
}

func newCaller(address *url.URL, key string, timeout time.Duration) *caller {
	return &caller{
		address: address,
		key:     key,
		timeout: timeout,
		http: &http.Client{
			// A redirect would send the texts and the key elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
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

// post sends payload as JSON and returns the response.
func (c *caller) post(ctx context.Context, payload any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, &Failure{Reason: "the request can't be encoded"}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Failure{Reason: "the request can't be made"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Parley")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, incomplete(ctx, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, rejection(res)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	if err != nil {
		return nil, incomplete(ctx, err)
	}
	if len(data) > maxResponse {
		return nil, &Failure{Reason: "the response is larger than 16 MiB"}
	}
	return data, nil
}

// incomplete returns the failure of a response that could not be read. It includes only causes that can't hold text of
// the request or the response, which the errors of net/http may quote.
func incomplete(ctx context.Context, cause error) *Failure {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return &Failure{Reason: "no response in time", cause: ctx.Err()}
	case errors.As(cause, &network):
		return &Failure{Reason: "the server can't be reached", cause: network}
	case errors.As(cause, &certificate):
		return &Failure{Reason: "the server can't be trusted", cause: certificate}
	}
	return &Failure{Reason: "the response is not complete"}
}

// rejection returns the failure of a response with a status other than 200.
func rejection(res *http.Response) *Failure {
	text := fmt.Sprintf("%s (HTTP %d)", reason(res.StatusCode), res.StatusCode)
	failure := &Failure{Reason: text, Status: res.StatusCode}
	switch res.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		failure.Texts = true
	}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		failure.RetryAfter = min(time.Duration(seconds)*time.Second, maxPause)
	}
	return failure
}

func reason(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "the API key was refused"
	case status == http.StatusForbidden:
		return "access was refused"
	case status == http.StatusNotFound:
		return "there is no such address or model"
	case status == http.StatusTooManyRequests:
		return "too many requests, or the quota is used up"
	case status >= 500:
		return "the server failed"
	case status >= 300 && status < 400:
		return "redirected, which is not followed"
	}
	return "the request was refused"
}
