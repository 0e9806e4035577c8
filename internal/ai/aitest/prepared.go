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

// Trickle returns a handler with endless replies. It writes a piece after each pause until the client leaves.
func Trickle(pause time.Duration, piece func() string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for out.Flush() == nil {
			select {
			case <-ticker.C:
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, deltaEvent("content", piece()))
		}
	})
}
