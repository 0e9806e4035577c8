package api

import (
	"net/http/httptest"
	"testing"
)

func TestNoPathOfAnAPIIsAPage(t *testing.T) {
	for path, want := range map[string]bool{
		"/": true, "/nonsense": true, "/apis": true, "/v10/x": true,
		"/api": false, "/api/": false, "/api/nonsense": false, "/v1": false, "/v1/nonsense": false,
	} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		if got := wantsPage(r); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
