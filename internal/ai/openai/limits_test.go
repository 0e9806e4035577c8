package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// upstream is a transport without a network, for use with a fake clock. All requests after the last response
// get that one.
type upstream struct {
	responses []response
	requests  []time.Time
}

// response is the response to a request. There is none if the status is 0.
type response struct {
	status     int
	retryAfter string
	body       io.Reader
	pause      time.Duration // before each read
	silent     bool          // the body never ends
}

func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	u.requests = append(u.requests, time.Now())
	res := u.responses[min(len(u.requests), len(u.responses))-1]
	if res.status == 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: res.status,
		Header:     http.Header{"Retry-After": {res.retryAfter}},
		Body:       io.NopCloser(body{res, r.Context()}),
	}, nil
}

// body ends with the request's context, like the body of a real response.
type body struct {
	response
	ctx context.Context
}

func (b body) Read(p []byte) (int, error) {
	if !sleep(b.ctx, b.pause) {
		return 0, b.ctx.Err()
	}
	n, err := b.body.Read(p)
	if b.silent && err != nil {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	return n, err
}

func stream(text string) response { return response{status: 200, body: strings.NewReader(text)} }

func refuse(status int, retryAfter string) response {
	return response{status: status, retryAfter: retryAfter, body: strings.NewReader("")}
}

// thenSilence is a response that never ends after text.
func thenSilence(text string) response {
	return response{status: 200, body: strings.NewReader(text), silent: true}
}

// endless is a response that repeats text, step bytes at a time.
func endless(text string, step int, pause time.Duration) response {
	return response{status: 200, body: &repeat{text: text, step: step}, pause: pause}
}

// repeat is a reader that repeats text, step bytes at a time.
type repeat struct {
	text string
	step int
	read int // bytes read so far
}

func (r *repeat) Read(p []byte) (int, error) {
	n := min(len(p), r.step)
	for i := range n {
		p[i] = r.text[r.read%len(r.text)]
		r.read++
	}
	return n, nil
}

const hello = `data: {"choices":[{"delta":{"content":"hello"}}]}` + "\n\n"

func TestRepliesAreBoundedInTimeAndSize(t *testing.T) {
	tests := []struct {
		name     string
		response response
		kind     FailureKind
		after    time.Duration
	}{
		{"no answer, as in a queue", response{}, Slow, 10 * time.Minute},
		{"no first line", thenSilence(""), Silent, time.Minute},
		{"silence after the first token", thenSilence(hello), Silent, time.Minute},
		{"a byte a second", endless("data: "+strings.Repeat("x", 100)+"\n", 1, time.Second), Silent, time.Minute},
		{"a short comment every half minute", endless(":\n", 2, 30*time.Second), Slow, 10 * time.Minute},
		{"a token every half minute", endless(hello, len(hello), 30*time.Second), Slow, 10 * time.Minute},
		{"text without end", endless(hello, 4096, 0), Oversized, 0},
		{"comments without end", endless(": waiting\n", 4096, 0), Oversized, 0},
		{"empty lines without end", endless("\n", 4096, 0), Oversized, 0},
		{"a line without end", endless("data: x", 4096, 0), Oversized, 0},
		{"a JSON document without end", endless("{", 4096, 0), Oversized, 0},
		{"an event without end", endless("data: "+strings.Repeat("x", 1000)+"\n", 4096, 0), Oversized, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				upstream := &upstream{responses: []response{test.response}}
				model := newModel(t, "http://upstream/v1", func(c *Config) {
					c.Transport, c.MaxReply = upstream, 16<<10
				})
				start := time.Now()
				err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
				wantFailure(t, err, test.kind)
				if took := time.Since(start); took != test.after {
					t.Errorf("took %v, want %v", took, test.after)
				}
				if len(upstream.requests) != 1 {
					t.Errorf("%d requests, want 1", len(upstream.requests))
				}
			})
		})
	}
}

func TestHugeLinesAndEventsAreNotReadToTheirEnd(t *testing.T) {
	for name, text := range map[string]string{
		"line":     "data: x",
		"event":    "data: " + strings.Repeat("x", 1000) + "\n",
		"document": "{",
	} {
		t.Run(name, func(t *testing.T) {
			huge := &repeat{text: text, step: 4096}
			model := newModel(t, "http://upstream/v1", func(c *Config) {
				c.Transport = &upstream{responses: []response{{status: 200, body: huge}}}
			})
			wantFailure(t, model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}), Oversized)
			if huge.read > 3<<20 {
				t.Errorf("%d bytes were read", huge.read)
			}
		})
	}
}

func TestReplyOverItsLimitFails(t *testing.T) {
	tests := []struct {
		name string
		size int
		ok   bool
	}{{"just within", 1000, true}, {"just over", 1001, false}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			thinking, text := strings.Repeat("t", 500), strings.Repeat("x", test.size-500)
			server.Script(aitest.Thinking(thinking), aitest.Text(text), aitest.End())
			model := newModel(t, server.URL, func(c *Config) { c.MaxReply = 1000 })
			err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
			if test.ok && err != nil {
				t.Error(err)
			}
			if !test.ok {
				wantFailure(t, err, Oversized)
			}
		})
	}
}

func TestTriesKeepToTheirTimes(t *testing.T) {
	const ms = time.Millisecond
	busy := func(retryAfter string) response { return refuse(429, retryAfter) }
	good := func() response { return stream(aitest.Stream("yes")) }
	failing := refuse(500, "")
	loading := func() response {
		return response{status: 503, body: strings.NewReader(
			`{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)}
	}
	type responses []response
	type tries []time.Duration
	tests := []struct {
		name      string
		responses responses
		until     time.Duration
		tries     tries
		ok        bool
	}{
		{"first try at any time", responses{good()}, -time.Second, tries{0}, true},
		{"no limit", responses{busy("3"), busy("200"), good()}, 0, tries{0, 3000 * ms, 203_000 * ms}, true},
		{"a date", responses{busy("Sat, 01 Jan 2000 00:00:07 GMT"), good()}, 0, tries{0, 7000 * ms}, true},
		{"Retry-After within the limit", responses{busy("3"), good()}, 5000 * ms, tries{0, 3000 * ms}, true},
		{"Retry-After past the limit", responses{busy("6"), good()}, 5000 * ms, tries{0}, false},
		{"Retry-After past the longest reply", responses{busy("86400"), good()}, 0, tries{0}, false},
		{"no Retry-After", responses{failing}, 0, tries{0, 250 * ms, 1250 * ms}, false},
		{"no Retry-After, within the limit", responses{failing}, 1000 * ms, tries{0, 250 * ms}, false},
		{
			"loading, until it is loaded",
			responses{loading(), loading(), loading(), loading(), good()},
			0,
			tries{0, 250 * ms, 1250 * ms, 2250 * ms, 3250 * ms},
			true,
		},
		{
			"loading, past the limit",
			responses{loading(), loading(), loading(), loading(), loading()},
			4000 * ms,
			tries{0, 250 * ms, 1250 * ms, 2250 * ms, 3250 * ms},
			false,
		},
		{"invalid Retry-After", responses{busy("soon"), good()}, 0, tries{0, 250 * ms}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				upstream := &upstream{responses: test.responses}
				model := newModel(t, "http://upstream/v1", func(c *Config) { c.Transport, c.RetryDelay = upstream, 0 })
				start := time.Now()
				prompt := &ai.Prompt{Question: "Hello"}
				if test.until != 0 {
					prompt.TryUntil = start.Add(test.until)
				}
				err := model.Reply(t.Context(), prompt, func(ai.Chunk) {})
				if (err == nil) != test.ok {
					t.Errorf("error %v", err)
				}
				var got tries
				for _, at := range upstream.requests {
					got = append(got, at.Sub(start))
				}
				if !slices.Equal(got, test.tries) {
					t.Errorf("tries at %v, want %v", got, test.tries)
				}
			})
		})
	}
}

func TestFailureSaysWhenToTryAgain(t *testing.T) {
	server := aitest.New(t)
	server.Script(aitest.Status(429, "", "Retry-After", "30"))
	model := newModel(t, server.URL)
	prompt := &ai.Prompt{Question: "Hello", TryUntil: time.Now().Add(5 * time.Second)}
	err := model.Reply(t.Context(), prompt, func(ai.Chunk) {})
	var f *Failure
	if !errors.As(err, &f) || f.Kind != Busy || f.RetryAfter != 30*time.Second || f.Status != 429 {
		t.Errorf("failure %+v", f)
	}
}

func TestCancelEndsTheWaitBetweenTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := &upstream{responses: []response{refuse(503, "60")}}
		model := newModel(t, "http://upstream/v1", func(c *Config) { c.Transport = upstream })
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Second, cancel).Stop()
		start := time.Now()
		err := model.Reply(ctx, &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second || len(upstream.requests) != 1 {
			t.Errorf("error %v after %v and %d requests", err, time.Since(start), len(upstream.requests))
		}
	})
}

func TestCompleteReplyDoesNotWaitForASilentUpstream(t *testing.T) {
	finish := `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for name, test := range map[string]struct {
		end  string
		most time.Duration
	}{
		"after finish_reason": {finish, finishGrace},
		"after [DONE]":        {finish + "data: [DONE]\n\n", doneGrace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := newModel(t, "http://upstream/v1", func(c *Config) {
					c.Transport = &upstream{responses: []response{thenSilence(hello + test.end)}}
				})
				start := time.Now()
				err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
				if err != nil || time.Since(start) > test.most {
					t.Errorf("error %v after %v", err, time.Since(start))
				}
			})
		})
	}
}
