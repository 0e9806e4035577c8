package api

import (
	"net/http"
	"time"
)

const (
	// maxPiece is how much of a response is written under one deadline. It is small: a client that reads slowly but
	// steadily must get the whole response.
	maxPiece = 64 << 10
	// writePace is how many bytes per second a client must read on average, after a few timeouts.
	writePace = 4 << 10
	// slowTimeouts is how many timeouts a client may take in addition.
	slowTimeouts = 4
)

// writeDeadline ends responses if the client has stopped reading, or reads so slowly that a long response would take
// hours.
func writeDeadline(timeout time.Duration) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&deadlineWriter{ResponseWriter: w, timeout: timeout}, r)
		})
	}
}

// deadlineWriter sets a deadline for each piece of a response: between one and two timeouts from now, but no later
// than the pace allows. Only the time spent in writes counts for the pace: a stream may be silent.
type deadlineWriter struct {
	http.ResponseWriter
	timeout  time.Duration
	extended time.Time
	written  int64
	spent    time.Duration
}

// Unwrap lets http.ResponseController reach the connection.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *deadlineWriter) WriteHeader(status int) {
	w.extend(time.Now())
	w.ResponseWriter.WriteHeader(status)
}

func (w *deadlineWriter) Write(p []byte) (n int, err error) {
	begun := time.Now()
	for {
		w.extend(begun)
		piece := p[:min(len(p), maxPiece)]
		written, err := w.ResponseWriter.Write(piece)
		n += written
		now := time.Now()
		w.written += int64(written)
		w.spent += now.Sub(begun)
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			return n, err
		}
		begun = now
	}
}

// extend moves the deadline, unless it did so recently.
func (w *deadlineWriter) extend(now time.Time) {
	left := slowTimeouts*w.timeout + time.Duration(w.written)*(time.Second/writePace) - w.spent
	if left >= 2*w.timeout {
		if now.Sub(w.extended) < w.timeout {
			return
		}
		left = 2 * w.timeout
	}
	w.extended = now
	// Only the writers in tests have no deadlines.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(now.Add(left))
}
