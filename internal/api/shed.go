package api

import (
	"net/http"

	"parley"
	"parley/internal/limit"
	"parley/internal/metrics"
)

// apiPrefix is the prefix of the paths of the contract.
const apiPrefix = "/api/"

// shedder refuses API requests while the server is overloaded. It is the first middleware: a refusal must cost
// little. It counts refusals but does not log them.
type shedder struct {
	limiter *limit.Fair[int64]
	metrics *metrics.Metrics
	origins origins
}

func (s shedder) shed(next http.Handler) http.Handler {
	refuse := secure(s.origins.allow(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeError(w, r, parley.ErrOverloaded)
	})))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		extra := limit.Extra(r.Context())
		if extra {
			w.Header().Set("Connection", "close")
		}
		if isAPI(r.URL.Path) && (extra || s.limiter.Full()) {
			s.metrics.Refused()
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
