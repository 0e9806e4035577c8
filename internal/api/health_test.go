package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestOperations(t *testing.T) {
	shared(t, []part{
		{"health is for anybody", healthIsForAnybody},
		{"what is read takes HEAD too", whatIsReadTakesHeadToo},
		{"the log has a line for each request", theLogHasALineForEachRequest},
	})
}

func healthIsForAnybody(w *world) {
	c := w.guest()
	w.must(c.Health(w.Context()))
	w.must(c.Ready(w.Context()))
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := w.request("GET", path, ""); got.StatusCode != 200 ||
			!strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain") {
			w.Errorf("%s: HTTP %d, %s", path, got.StatusCode, got.text)
		}
	}
}

func whatIsReadTakesHeadToo(w *world) {
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/openapi.json", "/", "/docs"} {
		got, want := w.request("HEAD", path, ""), w.request("GET", path, "")
		if got.StatusCode != 200 || got.text != "" || got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
			w.Errorf("%s: HTTP %d, %q, %v", path, got.StatusCode, got.text, got.Header)
		}
	}
	if got := w.request("POST", "/docs", ""); got.StatusCode != 405 ||
		!slices.Equal(got.Header["Allow"], []string{"GET", "HEAD"}) {
		w.Errorf("a POST to a page: HTTP %d, %v", got.StatusCode, got.Header)
	}
}

// theLogHasALineForEachRequest checks the content of the lines. The watcher of each world
// checks that they hold no secrets.
func theLogHasALineForEachRequest(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "A private title")
	user, err := ada.User(w.Context())
	w.must(err)
	got := w.request("PATCH", "/api/chat/session/"+session+"?password=query+secret", `{"title":"Another private title"}`,
		as(ada), "X-Api-Key: header secret")
	id := got.Header.Get("X-Request-Id")
	line := ""
	for l := range strings.Lines(w.Log.String()) {
		if strings.Contains(l, id) {
			line = l
		}
	}
	for _, want := range []string{
		"method=PATCH", "route=/api/chat/session/{session_id}", "status=200",
		fmt.Sprintf("user=%d ", user.UserID), "address=127.0.0.1",
	} {
		if !strings.Contains(line, want) {
			w.Errorf("the line does not say %s: %s", want, line)
		}
	}
	if strings.Contains(w.Log.String(), "secret") {
		w.Error("the log holds a secret")
	}
}
