package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func TestOperations(t *testing.T) {
	shared(t, []part{
		{"health is for anybody", healthIsForAnybody},
		{"what is read takes HEAD too", whatIsReadTakesHeadToo},
		{"HEAD is taken wherever GET is", headIsTakenWhereverGetIs},
		{"HEAD does not wait for a reply", headDoesNotWaitForAReply},
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
		!slices.Equal(got.Header["Allow"], []string{"GET, HEAD"}) {
		w.Errorf("a POST to a page: HTTP %d, %v", got.StatusCode, got.Header)
	}
}

// headIsTakenWhereverGetIs compares HEAD and GET of every operation that reads: with and without a token, and with
// known and unknown ids.
func headIsTakenWhereverGetIs(w *world) {
	ada := w.user("ada")
	own, unknown := w.property(ada), things{"session_id": "x", "message_id": "x", "file_id": "x", "token_id": "x"}
	for _, op := range mustDocument(w.T).operations {
		if op.Method != http.MethodGet {
			continue
		}
		head := op
		head.Method = http.MethodHead
		for _, token := range []string{as(ada), ""} {
			for _, ids := range []things{own, unknown} {
				get, head := op.call(w, ids, token), head.call(w, ids, token)
				if head.text != "" {
					w.Errorf("HEAD %s has a body: %s", op.Path, head.text)
				}
				get.text = ""
				get.Header.Del("Content-Length") // with HEAD it is optional
				head.Header.Del("Content-Length")
				wantSame(w, "HEAD "+op.Path, get, head)
			}
		}
	}
}

func headDoesNotWaitForAReply(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	goOn := make(chan struct{})
	w.Model.Script(aitest.Text("Well"), aitest.Wait(goOn), aitest.End())
	events, err := ada.Stream(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"})
	w.must(err)
	defer events.Close()
	for event, err := range events.Events() {
		w.must(err)
		start, ok := event.(client.Start)
		if !ok {
			continue
		}
		got := w.request("HEAD", "/api/chat/stream/"+start.MessageID, "", as(ada))
		if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" || got.text != "" {
			w.Errorf("HTTP %d, %v, %q", got.StatusCode, got.Header, got.text)
		}
		close(goOn)
	}
}

// theLogHasALineForEachRequest checks the content of the lines. The watcher of each world checks that they hold no
// secrets.
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
