package api

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// operations serves the paths for operators.
func (a *API) operations() {
	a.readable("/healthz", func(w http.ResponseWriter, _ *http.Request) { writePlain(w, http.StatusOK, "ok") })
	a.readable("/readyz", a.serveReady)
	if !a.hideMetrics {
		a.readable("/metrics", a.metrics.Handler().ServeHTTP)
	}
	document := sync.OnceValue(a.OpenAPI)
	a.readable("/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document()) // the client may have disconnected
	})
}

func (a *API) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := a.ready(ctx); err != nil {
		a.log.Warn("not ready", "error", err)
		writePlain(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	writePlain(w, http.StatusOK, "ready")
}

// readable serves GET and HEAD on a path outside the contract.
func (a *API) readable(path string, serve http.HandlerFunc) {
	a.router.Get(path, serve)
	a.router.Head(path, serve)
}

func writePlain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the client may have disconnected
}

// OpenAPI returns the OpenAPI document, which is generated from the routes.
func (a *API) OpenAPI() []byte {
	text, err := json.MarshalIndent(a.huma.OpenAPI(), "", "  ")
	if err != nil {
		panic(err) // our own types can always be encoded
	}
	return text
}
