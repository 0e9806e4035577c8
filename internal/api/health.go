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
		if err := a.Ready(ctx); err != nil {
			a.Log.Warn("not ready", "error", err)
			writePlain(w, http.StatusServiceUnavailable, "not ready")
			return
		}
		writePlain(w, http.StatusOK, "ready")
	}
	a.router.Get("/healthz", healthy)
	a.router.Head("/healthz", healthy)
	a.router.Get("/readyz", ready)
	a.router.Head("/readyz", ready)
	a.router.Method(http.MethodGet, "/metrics", a.Metrics.Handler())
	document := sync.OnceValue(a.document)
	a.router.Get("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document()) // the reader may have gone
	})
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
