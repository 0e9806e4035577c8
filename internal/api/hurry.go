package api

import (
	"cmp"
	"net/http"
	"time"
)

// hurry cuts off readers who take nothing of their answer over HTTP/2: they can do so
// without a standstill of the connection, which only HTTP/1 would notice.
func (a *API) hurry(next http.Handler) http.Handler {
	patience := cmp.Or(a.MaxWrite, usualMaxWrite)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 {
			w = &hurried{ResponseWriter: w, patience: patience}
		}
		next.ServeHTTP(w, r)
	})
}

// hurried is an answer whose writes each have a deadline.
type hurried struct {
	http.ResponseWriter
	patience time.Duration
	put      time.Time // when the deadline was last put off
}

// Unwrap is for http.ResponseController.
func (h *hurried) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// WriteHeader begins the answer.
func (h *hurried) WriteHeader(status int) {
	h.putOff()
	h.ResponseWriter.WriteHeader(status)
}

// Write goes on with it.
func (h *hurried) Write(p []byte) (int, error) {
	h.putOff()
	return h.ResponseWriter.Write(p)
}

// putOff allows for between one and two times the patience from now on.
func (h *hurried) putOff() {
	if now := time.Now(); now.Sub(h.put) >= h.patience {
		h.put = now
		_ = http.NewResponseController(h.ResponseWriter).SetWriteDeadline(now.Add(2 * h.patience)) // HTTP/2 has them
	}
}
