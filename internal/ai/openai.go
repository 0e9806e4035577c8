package ai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// OpenAIConfig says how to reach a model server. BaseURL and Model are required;
// zero limits take their defaults.
type OpenAIConfig struct {
	// BaseURL is the address of the API, with its /v1.
	BaseURL string
	// APIKey may be empty, for servers that want none.
	APIKey string
	// Model is the upstream's name of the model; ThinkingModel, if not empty, of the
	// one to use for deep thinking.
	Model         string
	ThinkingModel string
	// Thinking is how the upstream is told to think deeply; empty is auto.
	Thinking Dialect

	// IdleTimeout bounds the wait for the first and for each further line: 60 s.
	IdleTimeout time.Duration
	// MaxTime bounds a reply from the first try to its end: 10 min.
	MaxTime time.Duration
	// MaxReply bounds a reply's thinking and text together, in bytes: 1 MiB.
	MaxReply int
	// RetryDelay is the wait before the second try, where the upstream names none;
	// before the third it is four times as long: 250 ms.
	RetryDelay time.Duration
	// Transport carries the requests; nil is one of its own. Share one among models
	// of the same upstream.
	Transport http.RoundTripper
}

// OpenAI is a Model behind an OpenAI-compatible server.
type OpenAI struct {
	client *http.Client
	url    string
	key    string

	model         string
	thinkingModel string
	dialect       Dialect
	// refused remembers, for replies without and with deep thinking, that the upstream
	// does not take the dialect's field.
	refused [2]atomic.Bool

	idle, maxTime, retryDelay time.Duration
	maxReply                  int
}

var _ Model = (*OpenAI)(nil)

// NewOpenAI checks the configuration; it connects to nothing. Its errors hold
// neither the key nor the address, which may carry a password.
func NewOpenAI(cfg OpenAIConfig) (*OpenAI, error) {
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
	dialect, err := cfg.Thinking.resolve(base)
	if err != nil {
		return nil, err
	}
	transport := cfg.Transport
	if transport == nil {
		transport = NewTransport()
	}
	return &OpenAI{
		client: &http.Client{
			Transport: transport,
			// A redirect could take the key and the prompt to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url:           base.JoinPath("chat", "completions").String(),
		key:           cfg.APIKey,
		model:         cfg.Model,
		thinkingModel: cmp.Or(cfg.ThinkingModel, cfg.Model),
		dialect:       dialect,
		idle:          cmp.Or(cfg.IdleTimeout, time.Minute),
		maxTime:       cmp.Or(cfg.MaxTime, 10*time.Minute),
		maxReply:      cmp.Or(cfg.MaxReply, 1<<20),
		retryDelay:    cmp.Or(cfg.RetryDelay, 250*time.Millisecond),
	}, nil
}

// Close ends connections that are kept open for further replies.
func (o *OpenAI) Close() { o.client.CloseIdleConnections() }

// Reply implements Model. Its error is a *Failure, or ctx's error where ctx ended.
//
// A connection that can't be made or breaks, status 429 and 5xx are tried again, at
// most twice, and only while nothing has been emitted.
func (o *OpenAI) Reply(ctx context.Context, prompt Prompt, emit func(Chunk)) error {
	limited, watch := watched(ctx, o.idle, o.maxTime)
	defer watch.end(nil)
	for try := 1; ; try++ {
		begun, err := o.try(limited, watch, &prompt, emit)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || begun || !o.again(ctx, err, try, watch, &prompt) {
			return cmp.Or(ctx.Err(), err)
		}
	}
}

// again waits after a try that failed with err, and reports whether a further one is
// to begin.
func (o *OpenAI) again(ctx context.Context, err error, try int, watch *watch, prompt *Prompt) bool {
	const tries = 3
	var f *Failure
	if try == tries || !errors.As(err, &f) || !f.passing() {
		return false
	}
	wait := max(f.RetryAfter, o.retryDelay<<(2*(try-1)))
	at, until := time.Now().Add(wait), prompt.TryUntil
	return at.Before(watch.deadline) && (until.IsZero() || at.Before(until)) && sleep(ctx, wait)
}

// sleep reports whether it slept for all of d; it ends early with ctx.
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
