package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"weak"

	"go.uber.org/goleak"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

// secret looks like no word of an error text.
const secret = "sk-0123456789abcdef"

// newModel is a model behind the server at url, with short waits.
func newModel(t testing.TB, url string, changes ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{BaseURL: url, APIKey: secret, Model: "small", RetryDelay: time.Millisecond}
	for _, change := range changes {
		change(&cfg)
	}
	model, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// heard is what a model said.
type heard struct {
	text, thinking string
	chunks         int
}

func (h *heard) emit(c ai.Chunk) {
	h.text += c.Text
	h.thinking += c.Thinking
	h.chunks++
}

// wantFailure checks the kind of an error, and that it holds no key.
func wantFailure(t *testing.T, err error, kind FailureKind) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) || f.Kind != kind {
		t.Fatalf("error %v, want a failure of kind %q", err, kind)
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("the error holds the key: %v", err)
	}
}

func TestReplyStreamsWhatTheModelSays(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	server := aitest.New(t)
	defer server.Close()
	model := newModel(t, server.URL)
	defer model.Close()
	var said heard
	if err := model.Reply(t.Context(), ai.Prompt{Question: "Which ferry?"}, said.emit); err != nil {
		t.Fatal(err)
	}
	if said.text != "You said: Which ferry?" || said.chunks != 2 || said.thinking != "" {
		t.Errorf("heard %+v", said)
	}
	request := server.Last(t)
	if got := request.Header.Get("Authorization"); got != "Bearer "+secret {
		t.Errorf("Authorization %q", got)
	}
	if want := `{"model":"small","messages":[{"role":"user","content":"Which ferry?"}],"stream":true}`; string(request.Body) != want {
		t.Errorf("asked %s, want %s", request.Body, want)
	}
}

func TestWithoutAKeyNoneIsSent(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL, func(c *Config) { c.APIKey = "" })
	if err := model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	if values := server.Last(t).Header.Values("Authorization"); len(values) != 0 {
		t.Errorf("Authorization %q", values)
	}
}

func TestReplyEmitsEachChunkAsItComes(t *testing.T) {
	server := aitest.New(t)
	gate := make(chan struct{})
	server.Script(aitest.Text("one"), aitest.Wait(gate), aitest.Text("two"), aitest.End())
	model := newModel(t, server.URL)
	var said heard
	err := model.Reply(t.Context(), ai.Prompt{Question: "Count."}, func(c ai.Chunk) {
		if c.Text == "one" {
			close(gate)
		}
		said.emit(c)
	})
	if err != nil || said.text != "onetwo" {
		t.Errorf("heard %+v, error %v", said, err)
	}
}

func TestPromptIsLetGoOnceTheReplyHasBegun(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for name, model := range map[string]ai.Model{"openai": model, "fallback": ai.Fallback{First: model, Second: model}} {
		t.Run(name, func(t *testing.T) {
			prompt := ai.Prompt{Question: "Hello", History: []ai.Message{{Role: "user", Content: "before"}, {Role: "assistant", Content: "well"}}}
			history := weak.Make(&prompt.History[0])
			var kept bool
			err := model.Reply(t.Context(), prompt, func(ai.Chunk) {
				runtime.GC()
				kept = history.Value() != nil
			})
			if err != nil || kept {
				t.Errorf("kept %v, error %v", kept, err)
			}
		})
	}
}

func TestReplyTellsThinkingFromText(t *testing.T) {
	tests := []struct {
		name           string
		steps          []aitest.Step
		thinking, text string
	}{
		{"reasoning_content", []aitest.Step{aitest.Delta("reasoning_content", "hm"), aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"reasoning", []aitest.Step{aitest.Delta("reasoning", "hm"), aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"thinking", []aitest.Step{aitest.Delta("thinking", "hm"), aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"two names at once", []aitest.Step{aitest.Event(`{"choices":[{"delta":{"content":"","reasoning":"hm","reasoning_content":"hm"}}]}`), aitest.Text("yes"), aitest.End()}, "hm", "yes"},
		{"tag", aitest.Say("<think>hm</think>yes"), "hm", "yes"},
		{"tag cut up", aitest.Say("\n", " <th", "ink>", "\nh", "m</", "thi", "nk>\n", "\nyes"), "hm", "yes"},
		{"empty tag", aitest.Say("<think>\n\n</think>\n\nyes"), "", "yes"},
		{"tag further on", aitest.Say("Write <think>hm</think>."), "", "Write <think>hm</think>."},
		{"something like the tag", aitest.Say(" <thi", "s>"), "", " <this>"},
		{"tag after a page of white space", aitest.Say(strings.Repeat("\n", 300), "<think>hm</think>yes"), "", strings.Repeat("\n", 300) + "<think>hm</think>yes"},
		{"NUL", []aitest.Step{aitest.Thinking("h\x00m"), aitest.Text("y\x00es"), aitest.End()}, "h\uFFFDm", "y\uFFFDes"},
		{"half a tag at the end", aitest.Say("<thi"), "", "<thi"},
	}
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Script(test.steps...)
			var said heard
			if err := model.Reply(t.Context(), ai.Prompt{Question: "Is it?"}, said.emit); err != nil {
				t.Fatal(err)
			}
			if said.thinking != test.thinking || said.text != test.text {
				t.Errorf("thinking %q, text %q, want %q, %q", said.thinking, said.text, test.thinking, test.text)
			}
		})
	}
}

func TestCompleteRepliesOfEveryForm(t *testing.T) {
	finish := aitest.Event(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`)
	tests := []struct {
		name  string
		steps []aitest.Step
	}{
		{"no [DONE]", []aitest.Step{aitest.Text("yes"), finish}},
		{"[DONE] only", []aitest.Step{aitest.Text("yes"), aitest.Event("[DONE]")}},
		{"[DONE] without an empty line", []aitest.Step{aitest.Text("yes"), aitest.Raw("data: [DONE]")}},
		{"cut off after finish_reason", []aitest.Step{aitest.Text("yes"), finish, aitest.Cut()}},
		{"held open after [DONE]", []aitest.Step{aitest.Text("yes"), aitest.End(), aitest.Hang()}},
		{"usage after finish_reason", []aitest.Step{aitest.Text("yes"), finish, aitest.Event(`{"choices":[],"usage":{"total_tokens":9}}`), aitest.Event("[DONE]")}},
		{"cut short by the upstream's own limit", []aitest.Step{aitest.Event(`{"choices":[{"delta":{"content":"yes"},"finish_reason":"length"}]}`)}},
		{"comments, names, CRLF, no space", []aitest.Step{aitest.Raw(": waiting\r\n\r\nevent: message\r\nid: 1\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"yes\"}}]}\r\n\r\n"), aitest.End()}},
		{"data over two lines", []aitest.Step{aitest.Raw("data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"yes\"}}]}\n\n"), aitest.End()}},
		{"null error", []aitest.Step{aitest.Event(`{"error":null,"choices":[{"delta":{"content":"yes"}}]}`), aitest.End()}},
		{"one JSON document", []aitest.Step{aitest.Status(200, `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}`)}},
		{"one JSON document after empty lines", []aitest.Step{aitest.Raw("\n\n\n"), aitest.Raw(`{"choices":[{"message":{"content":"<think>hm</think>yes"},"finish_reason":"stop"}]}`)}},
	}
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Script(test.steps...)
			var said heard
			if err := model.Reply(t.Context(), ai.Prompt{Question: "Is it?"}, said.emit); err != nil || said.text != "yes" {
				t.Errorf("heard %+v, error %v", said, err)
			}
		})
	}
}

func TestIncompleteRepliesFailWithoutAnotherTry(t *testing.T) {
	tests := []struct {
		name  string
		steps []aitest.Step
		kind  FailureKind
	}{
		{"half a stream", []aitest.Step{aitest.Text("ye")}, Malformed},
		{"nothing at all", []aitest.Step{aitest.Begin()}, Malformed},
		{"an empty reply", aitest.Say(), Malformed},
		{"a blank reply", aitest.Say(" \n"), Malformed},
		{"thinking only", []aitest.Step{aitest.Thinking("hm"), aitest.End()}, Malformed},
		{"thinking without end", aitest.Say("<think>hm"), Malformed},
		{"HTML", []aitest.Step{aitest.Status(200, "<!doctype html><title>Sign in</title>")}, Malformed},
		{"garbage", []aitest.Step{aitest.Raw("\x00\xff\x1b garbage\n\n")}, Malformed},
		{"garbage as data", []aitest.Step{aitest.Text("ye"), aitest.Event("garbage")}, Malformed},
		{"a JSON document without a choice", []aitest.Step{aitest.Status(200, `{"ok":true}`)}, Malformed},
		{"a JSON document that is not finished", []aitest.Step{aitest.Status(200, `{"choices":[{"message":{"content":"yes"}}]}`)}, Malformed},
		{"compressed", []aitest.Step{aitest.Status(200, "\x1f\x8b\x08", "Content-Encoding", "gzip")}, Malformed},
		{"an error inside a 200", []aitest.Step{aitest.Event(`{"error":{"message":"overloaded ` + secret + `"}}`)}, Aborted},
		{"an error after some text", []aitest.Step{aitest.Text("ye"), aitest.Event(`{"error":"overloaded"}`), aitest.End()}, Aborted},
		{"an error event", []aitest.Step{aitest.Raw("event: error\ndata: overloaded\n\n"), aitest.End()}, Aborted},
		{"an error object", []aitest.Step{aitest.Text("ye"), aitest.Event(`{"object":"error","message":"out of memory"}`), aitest.Event("[DONE]")}, Aborted},
		{"an error as finish_reason", []aitest.Step{aitest.Event(`{"choices":[{"delta":{"content":"ye"},"finish_reason":"error"}]}`)}, Aborted},
		{"an error document", []aitest.Step{aitest.Status(200, `{"error":{"message":"no such model"}}`)}, Aborted},
		{"too long a prompt, said in the stream", []aitest.Step{aitest.Event(`{"error":{"code":"context_length_exceeded"}}`)}, TooLong},
		{"connection cut after the first token", []aitest.Step{aitest.Text("ye"), aitest.Cut()}, Unreachable},
		{"connection reset after the first token", []aitest.Step{aitest.Text("ye"), aitest.Reset()}, Unreachable},
		{"wrong key", []aitest.Step{aitest.Status(401, `{"error":{"message":"wrong key `+secret+`"}}`)}, Rejected},
		{"wrong request", []aitest.Step{aitest.Status(400, `{"error":{"message":"bad request with `+secret+`"}}`)}, Rejected},
		{"wrong address", []aitest.Step{aitest.Status(404, "not found")}, Rejected},
		{"too long a prompt", []aitest.Step{aitest.Status(400, `{"error":{"message":"This model's maximum context length is 8192 tokens."}}`)}, TooLong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			server.Script(test.steps...)
			model := newModel(t, server.URL)
			err := model.Reply(t.Context(), ai.Prompt{Question: "Is it?"}, func(ai.Chunk) {})
			wantFailure(t, err, test.kind)
			if n := len(server.Requests()); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

func TestPassingFaultsBeforeTheFirstTokenAreTriedAgain(t *testing.T) {
	tests := []struct {
		name  string
		fault aitest.Step
		kind  FailureKind
	}{
		{"429", aitest.Status(429, `{"error":{"message":"slow down"}}`), Busy},
		{"500", aitest.Status(500, "oops"), Busy},
		{"503", aitest.Status(503, `{"detail":"loading"}`), Busy},
		{"reset", aitest.Reset(), Unreachable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			server.Script(test.fault)
			server.Script(test.fault)
			model := newModel(t, server.URL)
			var said heard
			if err := model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, said.emit); err != nil || said.text != "You said: Hello" {
				t.Errorf("after two faults: heard %+v, error %v", said, err)
			}
			model.Close() // a connection that breaks when it is used again is not counted as a try
			server.Answer(func(aitest.Request) []aitest.Step { return []aitest.Step{test.fault} })
			wantFailure(t, model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, said.emit), test.kind)
			if n := len(server.Requests()); n != 6 {
				t.Errorf("asked %d times, want three times for each reply", n)
			}
		})
	}
}

func TestRefusedConnectionIsTriedThreeTimes(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	var dials atomic.Int32
	transport := NewTransport()
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	model := newModel(t, "http://"+listener.Addr().String()+"/v1?token=hidden", func(c *Config) { c.Transport = transport })
	err = model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
	wantFailure(t, err, Unreachable)
	if dials.Load() != 3 {
		t.Errorf("dialed %d times", dials.Load())
	}
	if text := err.Error(); !strings.Contains(text, syscall.ECONNREFUSED.Error()) || strings.Contains(text, "hidden") {
		t.Errorf("error text %q", text)
	}
}

func TestCancelReachesTheUpstreamAtOnce(t *testing.T) {
	server := aitest.New(t)
	gone := make(chan struct{})
	server.Script(aitest.Text("Once upon a time"), aitest.Gone(gone))
	model := newModel(t, server.URL)
	ctx, cancel := context.WithCancel(t.Context())
	err := model.Reply(ctx, ai.Prompt{Question: "A story, please."}, func(ai.Chunk) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-gone
	if n := len(server.Requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestCancelEndsReplyBeforeTheFirstByte(t *testing.T) {
	server := aitest.New(t)
	asked, gone := make(chan struct{}), make(chan struct{})
	server.Script(aitest.Reached(asked), aitest.Gone(gone))
	model := newModel(t, server.URL)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		<-asked
		cancel()
	})
	if err := model.Reply(ctx, ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-gone
	wait.Wait()
}

func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := aitest.New(t)
	server := aitest.New(t)
	server.Script(aitest.Status(307, "", "Location", elsewhere.URL+"/chat/completions"))
	model := newModel(t, server.URL)
	wantFailure(t, model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}), Rejected)
	if n := len(elsewhere.Requests()); n != 0 {
		t.Errorf("%d requests elsewhere", n)
	}
}

func TestErrorTextIsShortAndWithoutTheKey(t *testing.T) {
	tests := []struct {
		name string
		step aitest.Step
		want string
	}{
		{"message", aitest.Status(400, `{"error":{"message":"Bad\n\u001b[31m thing `+secret+`"}}`), "model rejected (status 400): Bad [31m thing [key]"},
		{"long", aitest.Status(400, `{"message":"`+strings.Repeat("字", 900)+`"}`), "model rejected (status 400): " + strings.Repeat("字", 200) + "…"},
		{"plain error", aitest.Event(`{"error":"out of memory"}`), "model aborted: out of memory"},
		{"detail", aitest.Status(404, `{"detail":"Not Found"}`), "model rejected (status 404): Not Found"},
		{"no JSON", aitest.Status(404, "Not Found "+secret), "model rejected (status 404)"},
		{"a masked key", aitest.Status(401, `{"error":{"message":"wrong key sk-01***cdef"}}`), "model rejected (status 401): check the API key"},
		{"redirect", aitest.Status(308, "", "Location", "/"), "model rejected (status 308): redirects are not followed; check the base URL"},
		{"HTML", aitest.Status(200, "<html>"), "model malformed: HTML, not an event stream; check the base URL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			server.Script(test.step)
			err := newModel(t, server.URL).Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestEndlessErrorBodyIsNotReadToItsEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 4096)); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	err := newModel(t, server.URL).Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
	wantFailure(t, err, Rejected)
}

func TestConfigurationIsChecked(t *testing.T) {
	good := Config{BaseURL: "http://127.0.0.1:1/v1", Model: "small"}
	tests := []struct {
		name   string
		change func(*Config)
	}{
		{"no base URL", func(c *Config) { c.BaseURL = "" }},
		{"no scheme", func(c *Config) { c.BaseURL = "127.0.0.1/v1" }},
		{"another scheme", func(c *Config) { c.BaseURL = "file:///etc/passwd" }},
		{"no model", func(c *Config) { c.Model = "" }},
		{"unknown dialect", func(c *Config) { c.Thinking = "klingon" }},
		{"key with a line break", func(c *Config) { c.APIKey = secret + "\n" }},
	}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := good
			test.change(&cfg)
			_, err := New(cfg)
			if err == nil {
				t.Fatal("taken")
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error holds the key: %v", err)
			}
		})
	}
}

func TestBaseURLKeepsItsPathAndQuery(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		_, _ = io.WriteString(w, aitest.Stream("yes"))
	}))
	defer server.Close()
	model := newModel(t, server.URL+"/openai/v1/?version=2")
	if err := model.Reply(t.Context(), ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	if asked != "/openai/v1/chat/completions?version=2" {
		t.Errorf("asked %s", asked)
	}
}
