// Package aitest is a scripted OpenAI-compatible model server for tests and benchmarks.
package aitest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server answers chat completions over HTTP on loopback and remembers what it was
// asked. Each request takes the next script; without one it is answered by the
// function given to Answer, or with Echo.
type Server struct {
	// URL is the server's base URL, with its /v1.
	URL string

	http *httptest.Server
	ctx  context.Context
	stop context.CancelFunc

	mu       sync.Mutex
	scripts  [][]Step
	answer   func(Request) []Step
	requests []Request
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server that ends with Close.
func Start() *Server {
	s := &Server{answer: Echo}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL + "/v1"
	return s
}

// Close ends the server. Replies under way are given up.
func (s *Server) Close() {
	s.stop()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Script says how one request to come is answered. Scripts are used in order.
func (s *Server) Script(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = append(s.scripts, steps)
}

// Answer says how requests without a script are answered, by what they ask. It may
// be called from several requests at once.
func (s *Server) Answer(answer func(Request) []Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// Requests returns all requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget drops the requests so far, of which a long run makes many.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// Last returns the latest request. It fails the test where there was none.
func (s *Server) Last(t testing.TB) Request {
	t.Helper()
	requests := s.Requests()
	if len(requests) == 0 {
		t.Fatal("the model was not asked")
	}
	return requests[len(requests)-1]
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	request, err := decode(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// All steps run even when the client has left: Gone and Reached have to tell.
	for _, step := range s.steps(request) {
		step(w, r.WithContext(ctx))
	}
}

// steps notes the request and takes its script.
func (s *Server) steps(request Request) []Step {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	if len(s.scripts) > 0 {
		defer s.mu.Unlock()
		steps := s.scripts[0]
		s.scripts = s.scripts[1:]
		return steps
	}
	answer := s.answer
	s.mu.Unlock()
	return answer(request)
}

// Request is what the model was asked.
type Request struct {
	Header   http.Header
	Body     []byte
	Model    string
	Messages []Message
	// Fields are all fields of the body, as they stand there.
	Fields map[string]json.RawMessage
}

// Message is one message of a request.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// System is the text of the system messages.
func (r Request) System() string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == "system" {
			texts = append(texts, m.Content)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Question is the text of the last message.
func (r Request) Question() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// DeepThinking reports whether thinking is asked for, in any dialect.
func (r Request) DeepThinking() bool {
	for _, on := range []string{`"reasoning_effort":"high"`, `"thinking":{"type":"enabled"`, `"enable_thinking":true`, `"reasoning":{"enabled":true`} {
		if strings.Contains(string(r.Body), on) {
			return true
		}
	}
	return false
}

func decode(r *http.Request) (Request, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Request{}, err
	}
	request := Request{Header: r.Header.Clone(), Body: body}
	if err := json.Unmarshal(body, &request.Fields); err != nil {
		return Request{}, err
	}
	if err := json.Unmarshal(request.Fields["model"], &request.Model); err != nil {
		return Request{}, err
	}
	return request, json.Unmarshal(request.Fields["messages"], &request.Messages)
}
