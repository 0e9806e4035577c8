package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestSecurityHeadersAreSharedSafely checks that a handler can add to a header or replace it without changing later
// responses.
func TestSecurityHeadersAreSharedSafely(t *testing.T) {
	change := true
	handler := secure(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if change {
			w.Header().Add("X-Content-Type-Options", "other")
			w.Header().Set("X-Frame-Options", "SAMEORIGIN")
			w.Header().Del("Cache-Control")
		}
	}))
	get := func() http.Header {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/api/user/info", nil))
		return recorder.Header()
	}
	get()
	change = false
	header := get()
	if len(header.Values("X-Content-Type-Options")) != 1 || header.Get("X-Frame-Options") != "DENY" ||
		header.Get("Cache-Control") != "no-store" {
		t.Errorf("the headers are %v", header)
	}
}
