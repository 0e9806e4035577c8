package api

import (
	"net/http"
	"slices"
)

// origins lists the origins that may call the API from their pages (CORS); "*" allows any. Any origin is safe because
// the token is in a header, never in a cookie.
type origins []string

// allow sets the CORS headers and answers preflight requests.
func (o origins) allow(next http.Handler) http.Handler {
	anyOrigin := slices.Contains(o, "*")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		header := w.Header()
		if !anyOrigin {
			header.Add("Vary", "Origin")
		}
		if origin == "" || !anyOrigin && !slices.Contains(o, origin) {
			next.ServeHTTP(w, r)
			return
		}
		if anyOrigin {
			origin = "*"
		}
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
		if isOpenAI(r.URL.Path) { // OpenAI's clients send headers of their own
			header.Set("Access-Control-Allow-Headers", "Authorization, *")
		}
		header.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	})
}
