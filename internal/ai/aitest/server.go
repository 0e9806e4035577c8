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

// Server serves chat completions on loopback and records the requests. Each request uses the next script. If there is
// none, the response comes from the function set by Respond, which is Echo by default.
type Server struct {
	// URL is the server's base URL, including /v1.
	URL string

	http *httptest.Server
	ctx  context.Context
	stop context.CancelFunc

	mu       sync.Mutex
	scripts  [][]Step
	respond  func(Request) []Step
	requests []Request
}

// New starts a server and closes it at the end of the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server. The caller has to close it.
func Start() *Server {
	s := &Server{respond: Echo}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL + "/v1"
	return s
}

// Close stops the server and aborts replies in progress.
func (s *Server) Close() {
	s.stop()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Script adds the response to one request. Scripts are used in order.
func (s *Server) Script(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = append(s.scripts, steps)
}

// Respond sets the function that returns the responses to requests without a script. It has to be safe for concurrent
// use.
func (s *Server) Respond(respond func(Request) []Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.respond = respond
}

// Requests returns all recorded requests, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget removes the recorded requests, to free their memory in long runs.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// Last returns the latest request. It fails the test if there is none.
func (s *Server) Last(t testing.TB) Request {
	t.Helper()
	requests := s.Requests()
	if len(requests) == 0 {
		t.Fatal("the model got no request")
	}
	return requests[len(requests)-1]
}

// ServeHTTP implements http.Handler.
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
	// All steps run even if the client has disconnected: Gone and Reached must close their channels.
	for _, step := range s.steps(request) {
		step(w, r.WithContext(ctx))
	}
}

// steps records the request and returns its script.
func (s *Server) steps(request Request) []Step {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	if len(s.scripts) > 0 {
		defer s.mu.Unlock()
		steps := s.scripts[0]
		s.scripts = s.scripts[1:]
		return steps
	}
	respond := s.respond
	s.mu.Unlock()
	return respond(request)
}

// Request is a recorded request.
type Request struct {
	Header   http.Header
	Body     []byte
	Model    string
	Messages []Message
	// Fields are all fields of the body.
	Fields map[string]json.RawMessage
}

// Message is one message of a request.
type Message struct {
	Role string
	// Content is the text. Other parts than texts and pictures are left out.
	Content string
	// Images are the addresses of the pictures.
	Images []string
}

// UnmarshalJSON reads a message. Its content is a text or parts.
func (m *Message) UnmarshalJSON(data []byte) error {
	var wire struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*m = Message{Role: wire.Role}
	if json.Unmarshal(wire.Content, &m.Content) == nil {
		return nil
	}
	var parts []struct {
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if json.Unmarshal(wire.Content, &parts) != nil {
		return nil
	}
	for _, part := range parts {
		m.Content += part.Text
		if part.ImageURL.URL != "" {
			m.Images = append(m.Images, part.ImageURL.URL)
		}
	}
	return nil
}

// System returns the text of the system messages.
func (r Request) System() string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == "system" {
			texts = append(texts, m.Content)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Question returns the text of the last message.
func (r Request) Question() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// DeepThinking reports whether the request turns on deep thinking, in any dialect.
func (r Request) DeepThinking() bool {
	fields := []string{
		`"reasoning_effort":"high"`, `"thinking":{"type":"enabled"`, `"enable_thinking":true`,
		`"reasoning":{"enabled":true`,
	}
	return slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(string(r.Body), field) })
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
