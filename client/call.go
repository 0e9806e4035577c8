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

// maxAnswer bounds a JSON answer: a page of 200 of the longest messages fits.
const maxAnswer = 256 << 20

// userAgent is how the client names itself; the list of logins shows it.
const userAgent = "parley-go/" + parley.APIVersion

// SendOption changes how a message is sent.
type SendOption func(http.Header)

// WithIdempotencyKey makes it safe to send again: for 24 hours the same key with the
// same input gives the same answer, made once. A key has up to 128 characters.
func WithIdempotencyKey(key string) SendOption {
	return func(h http.Header) { h.Set("Idempotency-Key", key) }
}

// do makes a call with a JSON input and answer. A nil in sends no body; with a nil
// out the answer needs none.
func (c *Client) do(ctx context.Context, method, path string, in, out any, options ...SendOption) error {
	r, err := c.newJSONRequest(ctx, method, path, in, options...)
	if err != nil {
		return err
	}
	return c.exchange(r, out)
}

func (c *Client) newJSONRequest(ctx context.Context, method, path string, in any, options ...SendOption) (*http.Request, error) {
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

func (c *Client) newRequest(ctx context.Context, method, path string, body io.Reader, options ...SendOption) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", userAgent)
	if token := c.Token(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, option := range options {
		option(r.Header)
	}
	return r, nil
}

// exchange makes the request and reads the envelope into out.
func (c *Client) exchange(r *http.Request, out any) error {
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return readEnvelope(answer, maxAnswer, out)
}

// open makes the request and returns an answer that is no envelope but the thing
// itself, which the caller closes. Any status but 200 is an error.
func (c *Client) open(r *http.Request) (*http.Response, error) {
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, readEnvelope(answer, maxAnswer, nil)
}

// envelope is the form of every JSON answer. Pointers tell absent from zero.
type envelope struct {
	Error   *parley.Code    `json:"error"`
	Body    json.RawMessage `json:"body"`
	Message string          `json:"message"`
	Success *bool           `json:"success"`
}

// readEnvelope reads an answer of at most limit bytes into out, or returns the *Error it holds.
func readEnvelope(answer *http.Response, limit int64, out any) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if int64(len(text)) > limit {
		return foreign(answer, "it is too large")
	}
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil || e.Error == nil || e.Success == nil {
		return foreign(answer, "no envelope")
	}
	failed := *e.Error != parley.CodeOK
	if failed == *e.Success || failed == (answer.StatusCode == http.StatusOK) {
		return foreign(answer, "error, success and status contradict each other")
	}
	if failed {
		return &Error{
			Code:       *e.Error,
			Message:    e.Message,
			Status:     answer.StatusCode,
			RetryAfter: retryAfter(answer.Header),
			Body:       e.Body,
		}
	}
	if out == nil {
		return nil
	}
	if len(e.Body) == 0 || string(e.Body) == "null" {
		return foreign(answer, "no body")
	}
	if err := json.Unmarshal(e.Body, out); err != nil {
		return fmt.Errorf("%w: %w", foreign(answer, "its body has another form"), err)
	}
	return nil
}

// withPage adds the parts of a page that are given; the server has its own defaults.
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
