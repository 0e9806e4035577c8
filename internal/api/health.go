package api

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// operations are the paths for those who run the server.
func (a *API) operations() {
	healthy := func(w http.ResponseWriter, _ *http.Request) { writePlain(w, http.StatusOK, "ok") }
	ready := func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := a.ready(ctx); err != nil {
			a.log.Warn("not ready", "error", err)
			writePlain(w, http.StatusServiceUnavailable, "not ready")
			return
		}
		writePlain(w, http.StatusOK, "ready")
	}
	a.readable("/healthz", healthy)
	a.readable("/readyz", ready)
	a.readable("/metrics", a.metrics.Handler().ServeHTTP)
	document := sync.OnceValue(a.document)
	a.readable("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document()) // the reader may have gone
	})
}

// readable serves what is not of the contract to GET, and to HEAD without its content.
func (a *API) readable(path string, serve http.HandlerFunc) {
	a.router.Get(path, serve)
	a.router.Head(path, serve)
}

func writePlain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the reader may have gone
}

// document is openapi.json.
func (a *API) document() []byte {
	text, err := json.MarshalIndent(a.huma.OpenAPI(), "", "  ")
	if err != nil {
		panic(err) // it is made of our own types
	}
	return text
}
