package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley"
	"parley/internal/limit"
)

// apiPrefix is how the paths of the contract begin.
const apiPrefix = "/api/"

// shed turns requests away that the server has no room for. It comes before everything
// else and has its answer ready: the less a refusal costs, the more is left for those
// who are let in. So it is counted, but has no line in the log.
func (a *API) shed(next http.Handler) http.Handler {
	refuse := a.refuse()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		extra := limit.Extra(r.Context())
		if extra {
			w.Header().Set("Connection", "close")
		}
		if !strings.HasPrefix(r.URL.Path, apiPrefix) {
			next.ServeHTTP(w, r)
			return
		}
		if extra || a.Gate.Full() {
			a.Metrics.Refused()
			refuse.ServeHTTP(w, r)
			return
		}
		a.Gate.Approach()
		a.Usher.LineUp()
		a.Gate.Arrive()
		next.ServeHTTP(w, r)
	})
}

// refuse says that the server is overloaded.
func (a *API) refuse() http.Handler {
	answer := newFailure(parley.ErrOverloaded)
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(answer); err != nil {
		panic(err) // it is made of our own types
	}
	length := strconv.Itoa(body.Len())
	return secure(a.allowOrigins(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		for name, values := range answer.headers {
			header[name] = values
		}
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", length)
		w.WriteHeader(answer.status)
		_, _ = w.Write(body.Bytes()) // the reader may have gone
	})))
}

// Refusal is what connections say by themselves where shed would say it. They don't where
// unless reports true.
func (a *API) Refusal(unless func() bool) *limit.Refusal {
	said := wire{header: http.Header{}}
	a.refuse().ServeHTTP(&said, &http.Request{URL: &url.URL{Path: apiPrefix}})
	return &limit.Refusal{
		Needed: func() bool { return a.Gate.Full() && !unless() },
		Prefix: apiPrefix, Answer: said.Bytes(), Count: a.Metrics.Refused,
	}
}

// wire is an answer as it goes over the wire.
type wire struct {
	bytes.Buffer
	header http.Header
}

// Header is the answer's.
func (w *wire) Header() http.Header { return w.header }

// WriteHeader begins the answer.
func (w *wire) WriteHeader(status int) {
	w.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = w.header.Write(w) // a buffer takes everything
	w.WriteString("\r\n")
}
