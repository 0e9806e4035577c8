package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/limit"
)

func (w *world) wantsRefused(got *reply) {
	w.Helper()
	if got.StatusCode != http.StatusServiceUnavailable || got.code() != parley.CodeInternal || got.Header.Get("Retry-After") != "1" {
		w.Errorf("HTTP %d, Retry-After %q, %s", got.StatusCode, got.Header.Get("Retry-After"), got.text)
	}
}

// TestARequestThatWaitsTooLongIsRefused has the only slot taken by the test.
func TestARequestThatWaitsTooLongIsRefused(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.Gate = limit.NewGate(1, time.Minute, time.Millisecond)
		w.restart()
		ada = w.again(ada)
		w.must(w.Gate.Enter(w.Context()))
		w.wantsRefused(w.request("GET", "/api/user/info", "", as(ada)))
		w.wantsRefused(w.request("POST", "/api/chat/send", `{"session_id":"`+session+`","content":"Is it?"}`, as(ada)))
		w.login("ada", "password of ada") // waits for a password's turn instead
		w.Gate.Leave()
		if stored := w.messages(ada, session); len(stored) != 0 {
			w.Errorf("stored %+v", stored)
		}
		w.say(ada, session, "Is it?")
	})
}

// TestBodiesAreBoundedTogether has strangers send long bodies, but for their ends.
func TestBodiesAreBoundedTogether(t *testing.T) {
	eachWith(t, func(w *world) { w.Bodies = limit.NewBudget(300_000, 1000) }, func(w *world) {
		ada := w.user("ada")
		const size = 120_000
		begun := fmt.Sprintf(`POST /api/auth/login HTTP/1.1
Host: x
Content-Length: %d

{"x":"%s`, size, strings.Repeat("x", size-1000))
		var conns []net.Conn
		for range 2 {
			conn, _ := w.raw(begun)
			conns = append(conns, conn)
		}
		long := `{"title":"ferries","x":"` + strings.Repeat("x", size) + `"}`
		w.eventually("there is no room", func() bool { return w.request("POST", "/api/chat/session", long, as(ada)).StatusCode != http.StatusOK })
		w.wantsRefused(w.request("POST", "/api/chat/session", long, as(ada)))
		w.wantsRefused(w.request("POST", "/api/auth/login", long))
		w.session(ada, "short bodies are taken")
		for _, conn := range conns {
			w.must(conn.Close())
		}
		w.eventually("there is room again", func() bool { return w.request("POST", "/api/chat/session", long, as(ada)).StatusCode == http.StatusOK })
	})
}

// crowd lets more be in line for the only slot than there may be.
func crowd(w *world) {
	w.Gate = limit.NewGate(1, -time.Second, time.Minute)
	w.must(w.Gate.Enter(w.Context()))
	w.Gate.Approach()
	w.Gate.Approach()
}

func TestRequestsAreRefusedUnseenWhileTheLineIsTooLong(t *testing.T) {
	eachWith(t, crowd, func(w *world) {
		for _, path := range []string{"/api/auth/login", "/api/chat/send", "/api/auth/register"} {
			got := w.request("POST", path, "{", "Origin: https://elsewhere.example")
			w.wantsRefused(got)
			if got.Header.Get("Access-Control-Allow-Origin") != "*" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
				w.Errorf("%s: the headers are %v", path, got.Header)
			}
		}
		w.must(w.guest().Ready(w.Context()))
		if counted := w.request("GET", "/metrics", "").text; !strings.Contains(counted, "parley_refused_total 3\n") {
			w.Error("what was refused is not counted")
		}
	})
}

// TestConnectionsRefuseInTheSameWords compares what connections say by themselves with
// what a request is told that they leave to us.
func TestConnectionsRefuseInTheSameWords(t *testing.T) {
	eachWith(t, crowd, func(w *world) {
		var leaving atomic.Bool
		refusal := w.handler.Refusal(leaving.Load)
		said, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(refusal.Answer)), nil)
		w.must(err)
		defer said.Body.Close()
		body, err := io.ReadAll(said.Body)
		w.must(err)
		got := w.request("GET", "/api/user/info", "")
		w.wantsRefused(got)
		got.Header.Del("Date")
		if said.Status != got.Status || string(body) != got.text || !maps.EqualFunc(said.Header, got.Header, slices.Equal) {
			w.Errorf("they say %s %v %s", said.Status, said.Header, body)
			w.Errorf("we say %s %v %s", got.Status, got.Header, got.text)
		}
		refusal.Count()
		if counted := w.request("GET", "/metrics", "").text; !strings.Contains(counted, "parley_refused_total 2\n") {
			w.Error("what was refused is not counted")
		}
		if !refusal.Needed() {
			w.Error("they refuse nothing")
		}
		leaving.Store(true)
		if refusal.Needed() {
			w.Error("they refuse though the answer has to be the last of its connection")
		}
	})
}
