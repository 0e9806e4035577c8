package aitest

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Stream is a whole reply in the given pieces, as the bytes of its event stream.
func Stream(pieces ...string) string {
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteString(deltaEvent("content", piece))
	}
	b.WriteString(endEvents)
	return b.String()
}

// Prepared answers every request with the same reply, made in advance and written at
// once: a model that costs nothing, for benchmarks.
func Prepared(pieces ...string) http.Handler {
	stream := []byte(Stream(pieces...))
	length := strconv.Itoa(len(stream))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The connection can be used again only when the request was read.
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", length)
		_, _ = w.Write(stream)
	})
}

// Trickle answers every request with the same reply, one piece at a time with a pause
// before each: a model that costs little but takes its time, for benchmarks.
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
