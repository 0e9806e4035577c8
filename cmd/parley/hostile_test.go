package main_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestHugeRequestLinesAndHeadersAreRefused sends more than the server reads, and a path with dots. The next request
// must work.
func TestHugeRequestLinesAndHeadersAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir())
	ada := p.user("ada")
	for _, test := range []struct {
		name, path string
		headers    int
		status     int
	}{
		{"countless parameters", "/api/chat/sessions?" + strings.Repeat("a=1&", 100_000), 0, 431},
		{"countless headers", "/api/chat/sessions", 10_000, 431},
		{"dots", "/api/chat/../user/info", 0, 404},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+test.path, nil)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+ada.Token())
		for range test.headers {
			r.Header.Add("X-More", "more and more")
		}
		response, err := http.DefaultClient.Do(r)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != test.status {
			t.Errorf("%s: HTTP %d, want %d", test.name, response.StatusCode, test.status)
		}
	}
	if _, err := ada.User(t.Context()); err != nil {
		t.Error(err)
	}
}
