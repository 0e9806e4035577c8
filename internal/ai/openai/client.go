// Package openai provides models behind servers that are compatible with OpenAI's chat completions API.
package openai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/ai"
)

// Config describes a model and its server. BaseURL and Model are required. Limits that are zero get their
// default.
type Config struct {
	// BaseURL is the address of the API, including /v1.
	BaseURL string
	// APIKey is empty if the server requires none.
	APIKey string
	// Model is the name of the model on the server.
	Model string
	// ThinkingModel is the name of the model for deep thinking. If empty, Model is used.
	ThinkingModel string
	// Thinking is how the server expects deep thinking to be requested. Empty means DialectAuto.
	Thinking Dialect

	// Headers are set on every request, after the others. Their values are treated as secrets.
	Headers map[string]string
	// Body has further fields of every request. Their values are encoded as JSON. They replace those of clients.
	Body map[string]any
	// Allow are fields of calls that clients may set although they are refused otherwise. Refuse are further ones that
	// they may not set.
	Allow, Refuse []string
	// MaxTokens limits the tokens of a reply. 0 means the server's limit.
	MaxTokens int
	// Images is set if the model sees pictures. Otherwise they are left out of prompts.
	Images bool

	// IdleTimeout limits the wait for a line, once the server has begun to respond. The default is 60 s.
	IdleTimeout time.Duration
	// MaxTime limits a reply, retries included. The default is 10 min.
	MaxTime time.Duration
	// MaxReply limits thinking and text together, in bytes. The default is 1 MiB.
	MaxReply int
	// RetryDelay is the wait before the first retry, unless the server sends Retry-After. The second retry
	// waits four times as long. The default is 250 ms.
	RetryDelay time.Duration
	// Transport sends the requests. If nil, the client creates its own. Models on the same server should
	// share one.
	Transport http.RoundTripper
}

// Client is an ai.Model on an OpenAI-compatible server.
type Client struct {
	http    *http.Client
	url     string
	key     string
	headers map[string]string
	body    map[string]any
	refused []string // fields that clients may not set
	secrets secrets

	model         string
	thinkingModel string
	dialect       Dialect
	// plainRefused and deepRefused record that the server rejects the dialect's field, in requests without
	// and with deep thinking.
	plainRefused, deepRefused atomic.Bool
	// usageRefused records that the server rejects stream_options.
	usageRefused atomic.Bool
	images       bool // the model sees pictures

	idle, maxTime, retryDelay time.Duration
	maxReply, maxTokens       int
}

var _ ai.Model = (*Client)(nil)

// New returns a client for the configured model. It sends nothing. Its errors hold neither the key nor the
// address, which may contain a password.
func New(cfg Config) (*Client, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("the model's base URL must be an http or https address")
	}
	if cfg.Model == "" {
		return nil, errors.New("the model's upstream name is missing")
	}
	if strings.ContainsFunc(cfg.APIKey, func(r rune) bool { return r <= ' ' || r >= 0x7F }) {
		return nil, errors.New("the model's API key holds white space or characters that no header can carry")
	}
	if err := checkExtra(cfg); err != nil {
		return nil, err
	}
	dialect, err := cfg.Thinking.resolve(base)
	if err != nil {
		return nil, err
	}
	transport := cfg.Transport
	if transport == nil {
		transport = NewTransport()
	}
	return &Client{
		http: &http.Client{
			Transport: transport,
			// A redirect could send the key and the prompt to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url:           base.JoinPath("chat", "completions").String(),
		key:           cfg.APIKey,
		headers:       cfg.Headers,
		body:          cfg.Body,
		refused:       refusedFields(cfg),
		secrets:       secretsOf(cfg),
		maxTokens:     cfg.MaxTokens,
		images:        cfg.Images,
		model:         cfg.Model,
		thinkingModel: cmp.Or(cfg.ThinkingModel, cfg.Model),
		dialect:       dialect,
		idle:          cmp.Or(cfg.IdleTimeout, time.Minute),
		maxTime:       cmp.Or(cfg.MaxTime, 10*time.Minute),
		maxReply:      cmp.Or(cfg.MaxReply, 1<<20),
		retryDelay:    cmp.Or(cfg.RetryDelay, 250*time.Millisecond),
	}, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Reply implements ai.Model. Its error is an *ai.Failure around a *Failure, or ctx.Err() if ctx has ended.
//
// Failed connections and statuses 429 and 5xx are retried at most twice, and only before the first chunk. While a
// server is loading the model, it is tried again as long as there is time.
func (c *Client) Reply(ctx context.Context, prompt *ai.Prompt, emit func(ai.Chunk)) error {
	limited, watch := startWatch(ctx, c.idle, c.maxTime)
	defer watch.cancel(nil)
	if !c.images {
		prompt = prompt.Blind()
	}
	for try := 1; ; try++ {
		begun, err := c.try(limited, watch, prompt, emit)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || begun || !c.waitToRetry(ctx, err, try, watch.deadline, prompt.TryUntil) {
			return cmp.Or(ctx.Err(), withReason(err))
		}
	}
}

// withReason returns an error with the reason that users see and what it says about the server.
func withReason(err error) error {
	var f *Failure
	if errors.As(err, &f) {
		return &ai.Failure{
			Reason: f.reason(), Fault: f.fault(), Status: f.Status, Message: f.public, RetryAfter: f.RetryAfter, Err: err,
		}
	}
	return err
}

// loadingWait limits the pause between tries while a server is loading the model. It is short, to lose little time once
// the model is loaded.
const loadingWait = time.Second

// waitToRetry waits after a try that failed with err. It reports whether to try again. A retry has to begin before
// deadline and, unless it is zero, before until.
func (c *Client) waitToRetry(ctx context.Context, err error, try int, deadline, until time.Time) bool {
	const maxTries = 3
	var f *Failure
	if !errors.As(err, &f) || !f.temporary() || try >= maxTries && !f.loading {
		return false
	}
	wait := c.retryDelay << (2 * (min(try, maxTries) - 1))
	if f.loading {
		wait = min(wait, loadingWait)
	}
	wait = max(f.RetryAfter, wait)
	at := time.Now().Add(wait)
	return at.Before(deadline) && (until.IsZero() || at.Before(until)) && sleep(ctx, wait)
}

// sleep waits for d or until ctx ends. It reports whether it waited for all of d.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
