package api

import (
	"io"
	"net/http"
	"time"
)

// maxDiscardTime is how long the unread rest of a body may take to arrive. net/http discards it before it sends the
// response. It can then reuse the connection.
const maxDiscardTime = 5 * time.Second

// readDeadline ends requests if their body does not arrive. An upload may take longer, so it moves the deadline.
// net/http removes the deadline at the end of the body.
func readDeadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		early := &earlyWriter{ResponseWriter: w, body: &requestBody{ReadCloser: r.Body}}
		early.expire(bodyReadTimeout)
		r.Body = early.body
		next.ServeHTTP(early, r)
		early.respond()
	})
}

// requestBody knows whether it was read to its end.
type requestBody struct {
	io.ReadCloser
	done bool // nothing more comes
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.done = b.done || err != nil
	return n, err
}

// earlyWriter shortens the read deadline if a response begins before the body has ended.
type earlyWriter struct {
	http.ResponseWriter
	body      *requestBody
	responded bool
}

// Unwrap lets http.ResponseController reach the connection.
func (w *earlyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *earlyWriter) WriteHeader(status int) {
	w.respond()
	w.ResponseWriter.WriteHeader(status)
}

func (w *earlyWriter) Write(p []byte) (int, error) {
	w.respond()
	return w.ResponseWriter.Write(p)
}

func (w *earlyWriter) respond() {
	if !w.responded && !w.body.done {
		w.expire(maxDiscardTime)
	}
	w.responded = true
}

func (w *earlyWriter) expire(timeout time.Duration) {
	// Only the writers in tests have no deadlines.
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Now().Add(timeout))
}
