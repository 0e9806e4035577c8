package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"parley/internal/ai/aitest"
)

// model is an OpenAI-compatible model server. Its replies cost almost nothing.
type model struct {
	*httptest.Server
	handler atomic.Pointer[http.Handler]
}

func startModel() *model {
	m := &model{}
	m.usual()
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*m.handler.Load()).ServeHTTP(w, r)
	}))
	return m
}

// usual makes every response from now on a reply of 20 chunks.
func (m *model) usual() {
	pieces := make([]string, 20)
	for i := range pieces {
		pieces[i] = fmt.Sprintf("piece %d of it, ", i)
	}
	handler := aitest.Prepared(pieces...)
	m.handler.Store(&handler)
}

// document makes every response from now on a chat completion that is not streamed.
func (m *model) document() {
	text := []byte(`{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"bench",` +
		`"choices":[{"index":0,"message":{"role":"assistant","content":"The hydrofoil takes fifty minutes."},` +
		`"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`)
	handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the connection is reusable only if the request was read
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}))
	m.handler.Store(&handler)
}

// reply makes the model reply with the given texts in turn.
func (m *model) reply(texts []string) {
	replies := make([]http.Handler, len(texts))
	for i, text := range texts {
		replies[i] = aitest.Prepared(text)
	}
	var n atomic.Int64
	handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		replies[int(n.Add(1))%len(replies)].ServeHTTP(w, r)
	}))
	m.handler.Store(&handler)
}

// sentMark precedes the time in each piece of a trickling reply.
const sentMark = "sent="

// trickle makes every response from now on a reply that does not end. Each piece holds the time it was sent.
func (m *model) trickle(pause time.Duration) {
	handler := aitest.Trickle(pause, func() string { return fmt.Sprintf("%s%d ", sentMark, time.Now().UnixNano()) })
	m.handler.Store(&handler)
}
