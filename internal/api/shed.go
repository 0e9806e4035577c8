package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"parley"
	"parley/internal/load"
)

// shed turns requests away that the server has no room for. It comes before everything
// else and has its answer ready: the less a refusal costs, the more is left for those
// who are let in. So it is counted, but has no line in the log.
func (a *API) shed(next http.Handler) http.Handler {
	answer := newFailure(parley.ErrOverloaded)
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(answer); err != nil {
		panic(err) // it is made of our own types
	}
	length := strconv.Itoa(body.Len())
	refuse := secure(a.allowOrigins(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		for name, values := range answer.headers {
			header[name] = values
		}
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", length)
		w.WriteHeader(answer.status)
		_, _ = w.Write(body.Bytes()) // the reader may have gone
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		extra := load.Extra(r.Context())
		if extra {
			w.Header().Set("Connection", "close")
		}
		if (extra || a.Gate.Full()) && strings.HasPrefix(r.URL.Path, "/api/") {
			a.Metrics.Refused()
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
