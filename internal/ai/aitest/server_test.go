package aitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const question = `{"model":"small","messages":[{"role":"system","content":"Be brief."},` +
	`{"role":"user","content":"Hello"}],"reasoning_effort":"high"}`

// post sends the question and returns the status and what could be read of the body.
func post(t *testing.T, url string) (int, string, error) {
	t.Helper()
	res, err := http.Post(url+"/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func TestRequestsAreRememberedAndEchoed(t *testing.T) {
	server := New(t)
	status, body, err := post(t, server.URL)
	want := deltaEvent("reasoning_content", "Thinking about: Hello") + Stream("You said: ", "Hello")
	if status != 200 || body != want || err != nil {
		t.Errorf("status %d, error %v, body %s", status, err, body)
	}
	request := server.Last(t)
	if request.Model != "small" || request.System() != "Be brief." || request.Question() != "Hello" ||
		!request.DeepThinking() {
		t.Errorf("request %+v", request)
	}
}

func TestScriptsAreUsedInOrder(t *testing.T) {
	server := New(t)
	server.Script(Status(503, "busy", "Retry-After", "1"))
	server.Script(Text("half"), Cut())
	server.Script(Reset())
	server.Respond(func(Request) []Step { return Say("well") })
	if status, body, err := post(t, server.URL); status != 503 || body != "busy" || err != nil {
		t.Errorf("first: %d, %q, %v", status, body, err)
	}
	_, body, err := post(t, server.URL)
	if body != deltaEvent("content", "half") || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("second: %q, %v", body, err)
	}
	if _, _, err := post(t, server.URL); err == nil {
		t.Error("third: no error")
	}
	if _, body, err := post(t, server.URL); body != Stream("well") || err != nil {
		t.Errorf("fourth: %q, %v", body, err)
	}
}

func TestCloseEndsRepliesUnderWay(t *testing.T) {
	server := New(t)
	reached := make(chan struct{})
	server.Script(Begin(), Reached(reached), Hang())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = post(t, server.URL)
	}()
	<-reached
	server.Close()
	<-done
}

func TestPreparedWritesAWholeReply(t *testing.T) {
	server := httptest.NewServer(Prepared("one ", "two"))
	defer server.Close()
	if _, body, err := post(t, server.URL); body != Stream("one ", "two") || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

func TestTrickleWritesPiecesUntilItsClientLeaves(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", nil)
	response, n := httptest.NewRecorder(), 0
	Trickle(time.Millisecond, func() string {
		if n++; n == 2 {
			cancel()
		}
		return fmt.Sprint("piece ", n)
	}).ServeHTTP(response, request)
	if !strings.HasPrefix(response.Body.String(), deltaEvent("content", "piece 1")+deltaEvent("content", "piece 2")) {
		t.Errorf("wrote %q", response.Body)
	}
}
