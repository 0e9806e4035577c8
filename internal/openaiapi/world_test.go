package openaiapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/ai"
	"parley/internal/metrics"
	"parley/internal/responses"
	"parley/internal/store/storetest"
)

// world is an API with a model that follows a script, for one user. Requests come to it as they do from a server that
// has let them in. Sessions are tested with the whole server.
type world struct {
	*testing.T
	*API
	model *script
	who   Caller
	mux   *http.ServeMux
	// failed is the error of the last call, if the API returned it instead of writing it in OpenAI's shape.
	failed error

	mu      sync.Mutex
	counted []parley.Usage
}

// newWorld returns a world after change, which may be nil, has changed its settings.
func newWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	database, log := storetest.Open(t, t.TempDir(), ""), slog.New(slog.DiscardHandler)
	w := &world{T: t, model: &script{}, mux: http.NewServeMux()}
	w.who.UserID = storetest.User(t, database, time.Now())
	config := Config{
		Models:    ai.Offers{{Name: "default", Model: w.model}, {Name: "other", Model: w.model}}.Fixed,
		Responses: responses.New(responses.Config{Store: database, Log: log, Now: time.Now}),
		Metrics:   metrics.New(), Log: log, Now: time.Now,
		Begin: func(context.Context, int64, string, int) (func(context.Context, parley.Usage) error, error) {
			return w.count, nil
		},
	}
	if change != nil {
		change(&config)
	}
	w.API = New(config)
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request, Caller) error{
		"GET /v1/models": w.Models, "POST /v1/chat/completions": w.Completions, "POST /v1/responses": w.Responses,
		"GET /v1/responses/{response_id}": w.Response,
	} {
		w.mux.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) { w.fail(out, serve(out, r, w.who)) })
	}
	t.Cleanup(func() {
		w.Drain(context.Background())
		w.Wait()
	})
	return w
}

func (w *world) count(_ context.Context, used parley.Usage) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted = append(w.counted, used)
	return nil
}

// fail writes the error of a handler.
func (w *world) fail(out http.ResponseWriter, err error) {
	var own *Error
	switch {
	case err == nil || errors.Is(err, ErrWritten):
	case errors.As(err, &own):
		own.Write(out)
	default:
		w.failed = err
		out.WriteHeader(http.StatusInternalServerError)
	}
}

// call makes a request to a path under /v1. Headers are given as "Name: value".
func (w *world) call(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, Prefix+path, strings.NewReader(body))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return w.do(r)
}

func (w *world) do(r *http.Request) *httptest.ResponseRecorder {
	w.failed = nil
	out := httptest.NewRecorder()
	w.mux.ServeHTTP(out, r)
	return out
}

// wantsError checks that a response is an error in OpenAI's shape, and returns its message.
func (w *world) wantsError(what string, got *httptest.ResponseRecorder, status int, kind, code, param string) string {
	w.Helper()
	var body struct {
		Error struct{ Message, Type, Code, Param string }
	}
	err := json.Unmarshal(got.Body.Bytes(), &body)
	e := body.Error
	if err != nil || got.Code != status || e.Type != kind || e.Code != code || e.Param != param || e.Message == "" {
		w.Errorf("%s: got HTTP %d, %.300s; want %d, %s, %s, %s", what, got.Code, got.Body, status, kind, code, param)
	}
	return e.Message
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// script is a model that sends events, or fails.
type script struct {
	ai.Model
	mu     sync.Mutex
	events []string
	usage  parley.Usage
	err    error
	calls  []fields
	wait   chan struct{} // for the last event; nil waits for nothing
}

// Pass implements ai.Passer.
func (s *script) Pass(ctx context.Context, call ai.Call, emit func([]byte) error) (parley.Usage, error) {
	s.mu.Lock()
	s.calls = append(s.calls, maps.Clone(call.Body))
	s.mu.Unlock()
	for i, event := range s.events {
		if s.wait != nil && i == len(s.events)-1 {
			select {
			case <-s.wait:
			case <-ctx.Done():
				return s.usage, ctx.Err()
			}
		}
		if err := emit([]byte(event)); err != nil {
			return s.usage, err
		}
	}
	return s.usage, s.err
}

// last returns the fields of the last call.
func (s *script) last() fields {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[len(s.calls)-1]
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// chunk returns an event of a chat completion.
func chunk(delta, finish string) string {
	return `{"id":"c","choices":[{"index":0,"delta":` + cmp.Or(delta, "{}") + `,"finish_reason":` +
		cmp.Or(finish, "null") + `}]}`
}

// says returns the events of a reply.
func says(texts ...string) (events []string) {
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		events = append(events, chunk(`{"content":`+string(quoted)+`}`, ""))
	}
	return append(events, chunk("", `"stop"`))
}

// hello is the messages of a chat completion.
const hello = `"messages":[{"role":"user","content":"Hello"}]`

// dataOf returns the data of the events of a stream.
func dataOf(stream string) (all []string) {
	for line := range strings.Lines(stream) {
		if data, found := strings.CutPrefix(line, "data: "); found {
			all = append(all, strings.TrimSuffix(data, "\n"))
		}
	}
	return all
}

// typesOf returns the types of the events of a response.
func typesOf(events []string) (types []string) {
	for _, data := range events {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(data), &e) // "" is another type
		types = append(types, strings.TrimPrefix(e.Type, "response."))
	}
	return types
}

// names returns the names of fields in order.
func names(f fields) []string { return slices.Sorted(maps.Keys(f)) }
