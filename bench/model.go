package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"
)

// model is an OpenAI-compatible model server whose replies cost almost nothing.
type model struct {
	*httptest.Server
	url     string // base URL of its API
	handler atomic.Pointer[http.HandlerFunc]
}

func startModel() *model {
	m := &model{}
	m.reply(usualReply())
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the connection can be reused
		w.Header().Set("Content-Type", "text/event-stream")
		(*m.handler.Load())(w, r)
	}))
	m.url = m.URL + "/v1"
	return m
}

// reply makes the model reply with the given streams in turn, each written at once.
func (m *model) reply(streams ...string) {
	var n atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, streams[int(n.Add(1))%len(streams)])
	})
	m.handler.Store(&handler)
}

// replyStream returns the events of a reply in pieces.
func replyStream(pieces ...string) string {
	var stream strings.Builder
	for _, piece := range pieces {
		stream.WriteString(chunk(piece, "null"))
	}
	return stream.String() + chunk("", `"stop"`) + "data: [DONE]\n\n"
}

// usualReply is a reply of 20 chunks.
func usualReply() string {
	pieces := make([]string, 20)
	for i := range pieces {
		pieces[i] = fmt.Sprintf("piece %d of it, ", i)
	}
	return replyStream(pieces...)
}

// sentMark precedes the time in each piece of a trickling reply.
const sentMark = "sent="

// trickle makes every response from now on a reply that does not end. Each piece holds the time it was sent.
func (m *model) trickle(pause time.Duration) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := http.NewResponseController(w)
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for out.Flush() == nil {
			select {
			case <-ticker.C:
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, chunk(fmt.Sprintf("%s%d ", sentMark, time.Now().UnixNano()), "null"))
		}
	})
	m.handler.Store(&handler)
}

// chunk returns an event of a streamed chat completion.
func chunk(content, finish string) string {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"bench",` +
		`"choices":[{"index":0,"delta":{"content":` + string(text) + `},"finish_reason":` + finish + "}]}\n\n"
}

// modelCall returns the request that a server sends to the model for a question.
func modelCall(int) call {
	body := `{"model":"bench","messages":[{"role":"user","content":"` + question + `"}],"stream":true}`
	return call{method: http.MethodPost, path: "/chat/completions", body: []byte(body)}
}
