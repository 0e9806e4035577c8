package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// upstream answers requests without a network, so that time can be made to pass. The
// last answer serves all further requests.
type upstream struct {
	answers []answered
	asked   []time.Time
}

// answered is how a request is answered: with nothing, where the status is 0.
type answered struct {
	status int
	after  string // Retry-After
	body   io.Reader
	pause  time.Duration // before each read
	silent bool          // the body never ends
}

func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	u.asked = append(u.asked, time.Now())
	a := u.answers[min(len(u.asked), len(u.answers))-1]
	if a.status == 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: a.status,
		Header:     http.Header{"Retry-After": {a.after}},
		Body:       io.NopCloser(body{a, r.Context()}),
	}, nil
}

// body ends with its request, as the body of a real answer does.
type body struct {
	answered
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

// stream answers with text.
func stream(text string) answered { return answered{status: 200, body: strings.NewReader(text)} }

// refuse answers with a status.
func refuse(status int, after string) answered {
	return answered{status: status, after: after, body: strings.NewReader("")}
}

// thenSilence answers with text, and then with nothing more.
func thenSilence(text string) answered {
	return answered{status: 200, body: strings.NewReader(text), silent: true}
}

// again answers with text over and over, step bytes at a time.
func again(text string, step int, pause time.Duration) answered {
	return answered{status: 200, body: &repeat{text: text, step: step}, pause: pause}
}

// repeat gives text over and over, step bytes at a time, and counts what it gave.
type repeat struct {
	text  string
	step  int
	given int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := min(len(p), r.step)
	for i := range n {
		p[i] = r.text[r.given%len(r.text)]
		r.given++
	}
	return n, nil
}

const hello = `data: {"choices":[{"delta":{"content":"hello"}}]}` + "\n\n"

func TestRepliesAreBoundedInTimeAndSize(t *testing.T) {
	tests := []struct {
		name   string
		answer answered
		kind   FailureKind
		after  time.Duration
	}{
		{"no answer", answered{}, Silent, time.Minute},
		{"no first line", thenSilence(""), Silent, time.Minute},
		{"silence after the first token", thenSilence(hello), Silent, time.Minute},
		{"a byte a second", again("data: "+strings.Repeat("x", 100)+"\n", 1, time.Second), Silent, time.Minute},
		{"a short comment every half minute", again(":\n", 2, 30*time.Second), Slow, 10 * time.Minute},
		{"a token every half minute", again(hello, len(hello), 30*time.Second), Slow, 10 * time.Minute},
		{"text without end", again(hello, 4096, 0), Oversized, 0},
		{"comments without end", again(": waiting\n", 4096, 0), Oversized, 0},
		{"empty lines without end", again("\n", 4096, 0), Oversized, 0},
		{"a line without end", again("data: x", 4096, 0), Oversized, 0},
		{"a JSON document without end", again("{", 4096, 0), Oversized, 0},
		{"an event without end", again("data: "+strings.Repeat("x", 1000)+"\n", 4096, 0), Oversized, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				upstream := &upstream{answers: []answered{test.answer}}
				model := newModel(t, "http://upstream/v1", func(c *Config) { c.Transport, c.MaxReply = upstream, 16<<10 })
				start := time.Now()
				err := model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
				wantFailure(t, err, test.kind)
				if took := time.Since(start); took != test.after {
					t.Errorf("took %v, want %v", took, test.after)
				}
				if len(upstream.asked) != 1 {
					t.Errorf("asked %d times", len(upstream.asked))
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
				c.Transport = &upstream{answers: []answered{{status: 200, body: huge}}}
			})
			wantFailure(t, model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}), Oversized)
			if huge.given > 3<<20 {
				t.Errorf("%d bytes were read", huge.given)
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
			server.Script(aitest.Thinking(strings.Repeat("t", 500)), aitest.Text(strings.Repeat("x", test.size-500)), aitest.End())
			model := newModel(t, server.URL, func(c *Config) { c.MaxReply = 1000 })
			err := model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
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
	busy := func(after string) answered { return refuse(429, after) }
	good := func() answered { return stream(aitest.Stream("yes")) }
	type answers []answered
	tests := []struct {
		name    string
		answers answers
		until   time.Duration
		asked   []time.Duration
		ok      bool
	}{
		{"first try at any time", answers{good()}, -time.Second, []time.Duration{0}, true},
		{"no bound", answers{busy("3"), busy("200"), good()}, 0, []time.Duration{0, 3 * time.Second, 203 * time.Second}, true},
		{"a date", answers{busy("Sat, 01 Jan 2000 00:00:07 GMT"), good()}, 0, []time.Duration{0, 7 * time.Second}, true},
		{"Retry-After within the bound", answers{busy("3"), good()}, 5 * time.Second, []time.Duration{0, 3 * time.Second}, true},
		{"Retry-After past the bound", answers{busy("6"), good()}, 5 * time.Second, []time.Duration{0}, false},
		{"Retry-After past the longest reply", answers{busy("86400"), good()}, 0, []time.Duration{0}, false},
		{"waits of its own", answers{refuse(500, "")}, 0, []time.Duration{0, 250 * time.Millisecond, 1250 * time.Millisecond}, false},
		{"waits of its own within the bound", answers{refuse(500, "")}, time.Second, []time.Duration{0, 250 * time.Millisecond}, false},
		{"nonsense in Retry-After", answers{busy("soon"), good()}, 0, []time.Duration{0, 250 * time.Millisecond}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				upstream := &upstream{answers: test.answers}
				model := newModel(t, "http://upstream/v1", func(c *Config) { c.Transport, c.RetryDelay = upstream, 0 })
				start := time.Now()
				prompt := ai.Prompt{Question: "Hello"}
				if test.until != 0 {
					prompt.TryUntil = start.Add(test.until)
				}
				err := model.Reply(t.Context(), prompt, func(ai.Chunk) {})
				if (err == nil) != test.ok {
					t.Errorf("error %v", err)
				}
				if len(upstream.asked) != len(test.asked) {
					t.Fatalf("asked %d times, want %d", len(upstream.asked), len(test.asked))
				}
				for i, at := range upstream.asked {
					if at.Sub(start) != test.asked[i] {
						t.Errorf("try %d after %v, want %v", i+1, at.Sub(start), test.asked[i])
					}
				}
			})
		})
	}
}

func TestFailureSaysWhenToTryAgain(t *testing.T) {
	server := aitest.New(t)
	server.Script(aitest.Status(429, "", "Retry-After", "30"))
	model := newModel(t, server.URL)
	err := model.Reply(t.Context(), ai.Prompt{Question: "Hello", TryUntil: time.Now().Add(5 * time.Second)}, func(ai.Chunk) {})
	var f *Failure
	if !errors.As(err, &f) || f.Kind != Busy || f.RetryAfter != 30*time.Second || f.Status != 429 {
		t.Errorf("failure %+v", f)
	}
}

func TestCancelEndsTheWaitBetweenTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := &upstream{answers: []answered{refuse(503, "60")}}
		model := newModel(t, "http://upstream/v1", func(c *Config) { c.Transport = upstream })
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Second, cancel).Stop()
		start := time.Now()
		err := model.Reply(ctx, ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second || len(upstream.asked) != 1 {
			t.Errorf("error %v after %v, asked %d times", err, time.Since(start), len(upstream.asked))
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
					c.Transport = &upstream{answers: []answered{thenSilence(hello + test.end)}}
				})
				start := time.Now()
				if err := model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); err != nil || time.Since(start) > test.most {
					t.Errorf("error %v after %v", err, time.Since(start))
				}
			})
		})
	}
}
