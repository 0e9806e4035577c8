package api

import (
	"net/http"
	"time"
)

// maxPiece is how much of a response is written under one deadline, so that a slow client that keeps reading gets all
// of it.
const maxPiece = 64 << 10

// writeDeadline ends responses whose client has stopped reading.
func (a *API) writeDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&deadlineWriter{ResponseWriter: w, timeout: a.maxWrite}, r)
	})
}

// deadlineWriter sets a deadline for each piece of a response: between one and two timeouts from now.
type deadlineWriter struct {
	http.ResponseWriter
	timeout  time.Duration
	extended time.Time
}

// Unwrap is for http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *deadlineWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *deadlineWriter) Write(p []byte) (n int, err error) {
	for {
		w.extend()
		piece := p[:min(len(p), maxPiece)]
		written, err := w.ResponseWriter.Write(piece)
		n += written
		if p = p[len(piece):]; err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// extend moves the deadline unless that was done recently.
func (w *deadlineWriter) extend() {
	now := time.Now()
	if now.Sub(w.extended) < w.timeout {
		return
	}
	w.extended = now
	// Only the writers of tests have no deadlines.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(now.Add(2 * w.timeout))
}
