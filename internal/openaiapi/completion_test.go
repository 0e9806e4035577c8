package openaiapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/ai"
	"parley/internal/limit"
)

func TestTheModelsAreListed(t *testing.T) {
	const want = `{"object":"list","data":[{"id":"default","object":"model","created":0,"owned_by":"parley"},` +
		`{"id":"other","object":"model","created":0,"owned_by":"parley"}]}`
	if got := newWorld(t, nil).call("GET", "models", ""); got.Body.String() != want {
		t.Errorf("got %s", got.Body)
	}
}

func TestACompletionIsPassedAsItIs(t *testing.T) {
	w := newWorld(t, nil)
	const document = `{"id":"c", "choices": [{"message":{"content":"<Hi>"}}]}`
	w.model.events, w.model.usage = []string{document}, parley.Usage{InputTokens: 7, OutputTokens: 2}
	const tools = `[{"type":"function","function":{"name":"f","parameters":{}}}]`
	got := w.call("POST", "chat/completions", `{"model":"other","temperature":0.25,"tools":`+tools+`,"n":2,"store":false,`+
		hello+`}`)
	if got.Code != 200 || got.Body.String() != document || got.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got HTTP %d, %v, %s", got.Code, got.Header(), got.Body)
	}
	sent := w.model.last()
	if want := []string{"messages", "model", "n", "temperature", "tools"}; !slices.Equal(names(sent), want) {
		t.Errorf("the model got %v", names(sent))
	}
	for name, want := range map[string]string{"temperature": "0.25", "tools": tools, "n": "2"} {
		if string(sent[name]) != want {
			t.Errorf("the model got %s %s", name, sent[name])
		}
	}
	if !slices.Equal(w.counted, []parley.Usage{w.model.usage}) {
		t.Errorf("counted %v", w.counted)
	}
}

func TestACompletionIsStreamed(t *testing.T) {
	failed := errors.New("the server has hung up")
	w := newWorld(t, nil)
	for name, test := range map[string]struct {
		events []string
		err    error
		want   string
	}{
		"events":            {[]string{`{"a":1}`, `{"b":2}`}, nil, "data: {\"a\":1}\n\ndata: {\"b\":2}\n\ndata: [DONE]\n\n"},
		"an event in lines": {[]string{"{\n \"a\": 1\n}"}, nil, "data: {\"a\":1}\n\ndata: [DONE]\n\n"},
		"no JSON in lines":  {[]string{"{\n\ndata: x"}, nil, "data: {\ndata: \ndata: data: x\n\ndata: [DONE]\n\n"},
		"it fails": {
			[]string{`{"a":1}`},
			&ai.Failure{Reason: parley.ReasonFailed, Err: failed},
			"data: {\"a\":1}\n\ndata: {\"error\":{\"message\":\"the model is not available; try again later\"," +
				"\"type\":\"server_error\",\"param\":null,\"code\":\"model_failed\"}}\n\n",
		},
	} {
		w.model.events, w.model.err = test.events, test.err
		got := w.call("POST", "chat/completions", `{"stream":true,`+hello+`}`)
		if got.Code != 200 || got.Header().Get("Content-Type") != "text/event-stream" || got.Body.String() != test.want {
			t.Errorf("%s: HTTP %d, %v, %q", name, got.Code, got.Header(), got.Body)
		}
	}
}

func TestACallIsRefusedBeforeTheModelIsAsked(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.Begin = func(
			_ context.Context, _ int64, model string, replies int,
		) (func(context.Context, parley.Usage) error, error) {
			if model != "default" || replies != 3 && replies != 1 {
				t.Errorf("%d replies of %s", replies, model)
			}
			return nil, parley.ErrQuotaUsed
		}
	})
	for path, body := range map[string]string{
		"chat/completions": `{"n":3,` + hello + `}`, "responses": `{"input":"Hello","previous_response_id":"resp_1"}`,
	} {
		if w.call("POST", path, body); !errors.Is(w.failed, parley.ErrQuotaUsed) || w.model.count() > 0 {
			t.Errorf("%s: %v after %d calls", path, w.failed, w.model.count())
		}
	}
}

func TestADocumentNeedsMemory(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = []string{`{"choices":[]}`}
	shares := limit.NewByteShares[int64](10, 0)
	shares.Hold(-1).Force(10)
	w.who.Hold = shares.Hold(w.who.UserID)
	if w.call("POST", "chat/completions", `{`+hello+`}`); !errors.Is(w.failed, parley.ErrOverloaded) {
		t.Errorf("got %v", w.failed)
	}
}

func TestNoCallBeginsWhileTheServerStops(t *testing.T) {
	w := newWorld(t, nil)
	w.Drain(t.Context())
	for path, body := range map[string]string{"chat/completions": `{` + hello + `}`, "responses": `{"input":"Hello"}`} {
		if w.call("POST", path, body); !errors.Is(w.failed, parley.ErrShuttingDown) || w.model.count() > 0 {
			t.Errorf("%s: %v after %d calls", path, w.failed, w.model.count())
		}
	}
}

// TestAStoredResponseEndsWithTheServer drains a server that does not wait.
func TestAStoredResponseEndsWithTheServer(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events, w.model.wait = says("Half ", "a ferry"), make(chan struct{})
	req, err := w.newResponseRequest(fields{"input": []byte(`"a"`), "store": []byte(`true`)})
	w.must(err)
	line, err := w.start(t.Context(), w.who, &req)
	w.must(err)
	defer line.release()
	now, cancel := context.WithCancel(t.Context())
	cancel()
	w.Drain(now)
	w.Wait()
	got := w.call("GET", "responses/"+req.response.ID, "")
	for _, part := range []string{`"status":"failed"`, errStopping.Text} {
		if !strings.Contains(got.Body.String(), part) {
			t.Errorf("it is %s", got.Body)
		}
	}
}

func TestACallWithAnIdempotencyKeyIsReplayed(t *testing.T) {
	w := newWorld(t, nil)
	const key = "Idempotency-Key: k"
	w.model.events = says("Hi.")
	for path, bodies := range map[string][2]string{
		"chat/completions": {`{"stream":true,` + hello + `}`, `{ "stream": true, ` + hello + `}`},
		"responses":        {`{"input":"Hello","stream":true}`, "{\"stream\":true,\n\"input\":\"Hello\"}"},
	} {
		first := w.call("POST", path, bodies[0], key)
		calls := w.model.count()
		again := w.call("POST", path, bodies[1], key)
		if again.Body.String() != first.Body.String() || first.Body.Len() == 0 || w.model.count() != calls ||
			again.Header().Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s: %v, %q, then %v, %q", path, first.Header(), first.Body, again.Header(), again.Body)
		}
		other := strings.Replace(bodies[0], "Hello", "Other", 1)
		w.wantsError(path, w.call("POST", path, other, key), 400, badRequest, "", "Idempotency-Key")
	}
	if w.model.count() != 2 {
		t.Errorf("the model got %d calls", w.model.count())
	}
}

// TestTheInstructionsOfTheServerComeFirst checks what the model gets of them and of the client's own.
func TestTheInstructionsOfTheServerComeFirst(t *testing.T) {
	const user, own = `{"role":"user","content":"Hello"}`, `{"role":"system","content":"Be kind."}`
	a := New(Config{Instructions: func() string { return "Be kind." }})
	for messages, want := range map[string]string{
		`[` + user + `]`: `[` + own + `,` + user + `]`,
		`[{"role":"system","content":"Be <brief>."},` + user + `]`: `[{"content":"Be kind.\n\nBe <brief>.",` +
			`"role":"system"},` + user + `]`,
		`[{"role":"developer","name":"n","content":[{"type":"text","text":"Be brief."}]}]`: `[{"content":[` +
			`{"text":"Be kind.","type":"text"},{"type":"text","text":"Be brief."}],"name":"n","role":"developer"}]`,
		`[{"role":"system","content":7}]`:         `[` + own + `,{"role":"system","content":7}]`,
		`[` + user + `,{"role":"system"}]`:        `[` + own + `,` + user + `,{"role":"system"}]`,
		`["no message"]`:                          `[` + own + `,"no message"]`,
		`[{"role":["system"],"content":"Hello"}]`: `[` + own + `,{"role":["system"],"content":"Hello"}]`,
	} {
		got, err := a.withInstructions(fields{"messages": []byte(messages)})
		if err != nil || string(got["messages"]) != want {
			t.Errorf("of %s the model gets %s, want %s, %v", messages, got["messages"], want, err)
		}
	}
	if got, err := New(Config{}).withInstructions(fields{"a": nil}); err != nil || len(got) != 1 {
		t.Errorf("without instructions the model gets %v, %v", got, err)
	}
}

// TestABodyIsReleasedOnceTheModelReplies checks that the memory of bodies is given back.
func TestABodyIsReleasedOnceTheModelReplies(t *testing.T) {
	w := newWorld(t, nil)
	w.model.events = says("Hi.")
	for path, text := range map[string]string{
		"chat/completions": `{"stream":true,` + hello + `}`, "responses": `{"input":"Hello"}`,
	} {
		body := &releasedBody{Reader: strings.NewReader(text)}
		r, err := http.NewRequestWithContext(t.Context(), "POST", Prefix+path, body)
		w.must(err)
		if w.do(r); !body.released {
			t.Errorf("%s: the body is held", path)
		}
	}
}

// releasedBody tells whether it was released.
type releasedBody struct {
	*strings.Reader
	released bool
}

func (b *releasedBody) Close() error { return nil }
func (b *releasedBody) Release()     { b.released = true }
