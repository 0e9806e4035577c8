package aitest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Stream returns the event stream of a complete reply in the given pieces.
func Stream(pieces ...string) string {
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteString(deltaEvent("content", piece))
	}
	b.WriteString(endEvents)
	return b.String()
}

// Prepared returns a handler that writes the same reply to every request at once. It is cheap enough for
// benchmarks.
func Prepared(pieces ...string) http.Handler {
	stream := []byte(Stream(pieces...))
	length := strconv.Itoa(len(stream))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The connection is reusable only if the request was read.
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", length)
		_, _ = w.Write(stream)
	})
}

// Trickle returns a handler that writes the same reply to every request, with a pause before each piece.
func Trickle(pause time.Duration, pieces ...string) http.Handler {
	events := make([][]byte, 0, len(pieces)+1)
	for _, piece := range pieces {
		events = append(events, []byte(deltaEvent("content", piece)))
	}
	events = append(events, []byte(endEvents))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		_ = out.Flush()
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for _, event := range events {
			select {
			case <-ticker.C:
			case <-r.Context().Done():
				return
			}
			if _, err := w.Write(event); err != nil {
				return
			}
			_ = out.Flush()
		}
	})
}
