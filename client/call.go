package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"parley"
)

// maxResponse is the largest JSON response. A page of 200 of the longest messages fits.
const maxResponse = 256 << 20

// userAgent is shown in the list of logins.
const userAgent = "parley-go/" + parley.APIVersion

// SendOption is an option of a request that sends a message.
type SendOption func(http.Header)

// WithIdempotencyKey makes a send safe to retry. For 24 hours, the same key with the same
// input returns the same result, and the message is sent only once. A key has up to 128
// characters.
func WithIdempotencyKey(key string) SendOption {
	return func(h http.Header) { h.Set("Idempotency-Key", key) }
}

// do sends a request with a JSON body and decodes the response. A nil in sends no body; a nil
// out ignores the body of the response.
func (c *Client) do(ctx context.Context, method, path string, in, out any, options ...SendOption) error {
	r, err := c.newJSONRequest(ctx, method, path, in, options...)
	if err != nil {
		return err
	}
	return exchange(c.http, r, out)
}

func (c *Client) newJSONRequest(
	ctx context.Context, method, path string, in any, options ...SendOption,
) (*http.Request, error) {
	if in == nil {
		return c.newRequest(ctx, method, path, nil, options...)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode the input: %w", err)
	}
	r, err := c.newRequest(ctx, method, path, bytes.NewReader(body), options...)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

func (c *Client) newRequest(
	ctx context.Context, method, path string, body io.Reader, options ...SendOption,
) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", userAgent)
	if c.language != "" {
		r.Header.Set("Accept-Language", c.language)
	}
	if token := c.Token(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, option := range options {
		option(r.Header)
	}
	return r, nil
}

// exchange sends the request through h and decodes the envelope into out.
func exchange(h *http.Client, r *http.Request, out any) error {
	response, err := h.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return readEnvelope(response, maxResponse, out)
}

// open sends the request through h and returns a response that has no envelope. The caller must close its
// body. Any status but 200 is an error.
func open(h *http.Client, r *http.Request) (*http.Response, error) {
	response, err := h.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	return nil, readEnvelope(response, maxResponse, nil)
}

// envelope is the form of every JSON response. Pointers distinguish absent from zero.
type envelope struct {
	Error   *parley.Code    `json:"error"`
	Body    json.RawMessage `json:"body"`
	Message string          `json:"message"`
	Success *bool           `json:"success"`
}

// readEnvelope decodes a response of at most limit bytes into out, or returns its *Error.
func readEnvelope(response *http.Response, limit int64, out any) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if int64(len(text)) > limit {
		return unexpectedResponse(response, "it is too large")
	}
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil || e.Error == nil || e.Success == nil {
		return unexpectedResponse(response, "no envelope")
	}
	failed := *e.Error != parley.CodeOK
	if failed == *e.Success || failed == (response.StatusCode == http.StatusOK) {
		return unexpectedResponse(response, "error, success and status contradict each other")
	}
	if failed {
		return &Error{
			Code:       *e.Error,
			Message:    e.Message,
			Status:     response.StatusCode,
			RetryAfter: retryAfter(response.Header),
			Body:       e.Body,
		}
	}
	if out == nil {
		return nil
	}
	if len(e.Body) == 0 || string(e.Body) == "null" {
		return unexpectedResponse(response, "no body")
	}
	if err := json.Unmarshal(e.Body, out); err != nil {
		return fmt.Errorf("%w: %w", unexpectedResponse(response, "its body has another form"), err)
	}
	return nil
}

// withPage adds the number and size of a page, unless they are zero.
func withPage(path string, page parley.Page, query url.Values) string {
	if page.Number != 0 {
		query.Set("page", strconv.FormatInt(page.Number, 10))
	}
	if page.Size != 0 {
		query.Set("page_size", strconv.FormatInt(page.Size, 10))
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
