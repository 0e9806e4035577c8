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

// secret is a key that no error text contains by chance.
const secret = "sk-0123456789abcdef"

// newModel returns a client for the server at url with a short retry delay.
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

// received is what a model emitted.
type received struct {
	text, thinking, finish string
	chunks                 int
}

func (h *received) emit(c ai.Chunk) {
	if c.WasThinking {
		h.thinking, h.text = h.thinking+h.text, ""
	}
	h.finish = c.Finish
	h.text += c.Text
	h.thinking += c.Thinking
	h.chunks++
}

// wantFailure checks the kind of an error, and that its text does not hold the key.
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
	var got received
	if err := model.Reply(t.Context(), &ai.Prompt{Question: "Which ferry?"}, got.emit); err != nil {
		t.Fatal(err)
	}
	if got.text != "You said: Which ferry?" || got.chunks != 2 || got.thinking != "" {
		t.Errorf("received %+v", got)
	}
	request := server.Last(t)
	if got := request.Header.Get("Authorization"); got != "Bearer "+secret {
		t.Errorf("Authorization %q", got)
	}
	want := `{"model":"small","messages":[{"role":"user","content":"Which ferry?"}],"stream":true,` +
		`"stream_options":{"include_usage":true}}`
	if string(request.Body) != want {
		t.Errorf("body %s, want %s", request.Body, want)
	}
}

func TestWithoutAKeyNoneIsSent(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL, func(c *Config) { c.APIKey = "" })
	if err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	if values := server.Last(t).Header.Values("Authorization"); len(values) != 0 {
		t.Errorf("Authorization %q", values)
	}
}

func TestReplyEmitsEachChunkAsItComes(t *testing.T) {
	server := aitest.New(t)
	first := make(chan struct{})
	server.Script(aitest.Text("one"), aitest.Wait(first), aitest.Text("two"), aitest.End())
	model := newModel(t, server.URL)
	var got received
	err := model.Reply(t.Context(), &ai.Prompt{Question: "Count."}, func(c ai.Chunk) {
		if c.Text == "one" {
			close(first)
		}
		got.emit(c)
	})
	if err != nil || got.text != "onetwo" {
		t.Errorf("received %+v, error %v", got, err)
	}
}

func TestPromptIsReleasedOnceTheReplyHasBegun(t *testing.T) {
	server := aitest.New(t)
	model := newModel(t, server.URL)
	for name, model := range map[string]ai.Model{
		"client":   model,
		"fallback": ai.Fallback{First: model, Second: model},
	} {
		t.Run(name, func(t *testing.T) {
			history := []ai.Message{{Role: "user", Content: "before"}, {Role: "assistant", Content: "well"}}
			kept, first := false, weak.Make(&history[0])
			err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello", History: history}, func(ai.Chunk) {
				runtime.GC()
				kept = first.Value() != nil
			})
			if err != nil || kept {
				t.Errorf("kept %v, error %v", kept, err)
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
			var got received
			err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, got.emit)
			if err != nil || got.text != "You said: Hello" {
				t.Errorf("after two faults: received %+v, error %v", got, err)
			}
			model.Close() // the transport would send the request again on a new connection
			server.Respond(func(aitest.Request) []aitest.Step { return []aitest.Step{test.fault} })
			wantFailure(t, model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, got.emit), test.kind)
			if n := len(server.Requests()); n != 6 {
				t.Errorf("%d requests, want three for each reply", n)
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
	address := "http://" + listener.Addr().String() + "/v1?token=hidden"
	model := newModel(t, address, func(c *Config) { c.Transport = transport })
	err = model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
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
	err := model.Reply(ctx, &ai.Prompt{Question: "A story, please."}, func(ai.Chunk) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-gone
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestCancelEndsReplyBeforeTheFirstByte(t *testing.T) {
	server := aitest.New(t)
	arrived, gone := make(chan struct{}), make(chan struct{})
	server.Script(aitest.Reached(arrived), aitest.Gone(gone))
	model := newModel(t, server.URL)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		<-arrived
		cancel()
	})
	if err := model.Reply(ctx, &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); !errors.Is(err, context.Canceled) {
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
	wantFailure(t, model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}), Rejected)
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
		{
			"message",
			aitest.Status(400, `{"error":{"message":"Bad\n\u001b[31m thing `+secret+`"}}`),
			"model rejected (status 400): Bad [31m thing [key]",
		},
		{
			"long",
			aitest.Status(400, `{"message":"`+strings.Repeat("字", 900)+`"}`),
			"model rejected (status 400): " + strings.Repeat("字", 200) + "…",
		},
		{"plain error", aitest.Event(`{"error":"out of memory"}`), "model aborted: out of memory"},
		{"detail", aitest.Status(404, `{"detail":"Not Found"}`), "model rejected (status 404): Not Found"},
		{"no JSON", aitest.Status(404, "Not Found "+secret), "model rejected (status 404)"},
		{
			"a masked key",
			aitest.Status(401, `{"error":{"message":"wrong key sk-01***cdef"}}`),
			"model key (status 401): check the API key",
		},
		{
			"redirect",
			aitest.Status(308, "", "Location", "/"),
			"model rejected (status 308): redirects are not followed; check the base URL",
		},
		{"HTML", aitest.Status(200, "<html>"), "model malformed: HTML, not an event stream; check the base URL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := aitest.New(t)
			server.Script(test.step)
			err := newModel(t, server.URL).Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
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
	err := newModel(t, server.URL).Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
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
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error holds the key: %v", err)
			}
		})
	}
}

func TestBaseURLKeepsItsPathAndQuery(t *testing.T) {
	var requested string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested = r.URL.String()
		_, _ = io.WriteString(w, aitest.Stream("yes"))
	}))
	defer server.Close()
	model := newModel(t, server.URL+"/openai/v1/?version=2")
	if err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); err != nil {
		t.Fatal(err)
	}
	if requested != "/openai/v1/chat/completions?version=2" {
		t.Errorf("requested %s", requested)
	}
}
