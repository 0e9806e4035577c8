package api_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/limit"
)

// nobody is the id of no user.
const nobody = -1

func (w *world) wantsRefused(got *reply) {
	w.Helper()
	if got.StatusCode != http.StatusServiceUnavailable || got.code() != parley.CodeInternal ||
		got.Header.Get("Retry-After") != "1" {
		w.Errorf("HTTP %d, Retry-After %q, %s", got.StatusCode, got.Header.Get("Retry-After"), got.text)
	}
}

// TestARequestThatWaitsTooLongIsRefused takes the only slot.
func TestARequestThatWaitsTooLongIsRefused(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.Limiter = limit.NewFair[int64](limit.FairConfig{Slots: 1, Queue: 10, MaxWait: time.Millisecond})
		w.restart()
		ada = w.again(ada)
		w.must(w.Limiter.Acquire(w.Context(), nobody))
		w.wantsRefused(w.request("GET", "/api/user/info", "", as(ada)))
		w.wantsRefused(w.request("POST", "/api/chat/send", `{"session_id":"`+session+`","content":"Is it?"}`, as(ada)))
		w.login("ada", "password of ada") // has a queue of its own
		w.Limiter.Release(nobody)
		if stored := w.messages(ada, session); len(stored) != 0 {
			w.Errorf("stored %+v", stored)
		}
		w.say(ada, session, "Is it?")
	})
}

// TestOneUserLeavesRoomForOthers takes all slots that one user may have.
func TestOneUserLeavesRoomForOthers(t *testing.T) {
	share := func(w *world) {
		w.Limiter = limit.NewFair[int64](limit.FairConfig{Slots: 2, SlotsPerKey: 1, Queue: 10, MaxWait: time.Millisecond})
	}
	eachWith(t, share, func(w *world) {
		ada, bob := w.user("ada"), w.user("bob")
		session := w.session(ada, "")
		info, err := ada.User(w.Context())
		w.must(err)
		w.must(w.Limiter.Acquire(w.Context(), info.UserID))
		defer w.Limiter.Release(info.UserID)
		w.wantsRefused(w.request("GET", "/api/user/info", "", as(ada)))
		w.wantsRefused(w.request("POST", "/api/chat/send", `{"session_id":"`+session+`","content":"Is it?"}`, as(ada)))
		w.say(bob, w.session(bob, ""), "Is it?")
	})
}

// TestBodiesAreBoundedTogether has clients without a login send long bodies that never end.
func TestBodiesAreBoundedTogether(t *testing.T) {
	eachWith(t, func(w *world) { w.Bodies = limit.NewByteBudget(300_000, 1000) }, func(w *world) {
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
		w.eventually("there is no room", func() bool {
			return w.request("POST", "/api/chat/session", long,
				as(ada)).StatusCode != http.StatusOK
		})
		w.wantsRefused(w.request("POST", "/api/chat/session", long, as(ada)))
		w.wantsRefused(w.request("POST", "/api/auth/login", long))
		w.session(ada, "short bodies are taken")
		for _, conn := range conns {
			w.must(conn.Close())
		}
		w.eventually("there is room again", func() bool {
			return w.request("POST", "/api/chat/session", long,
				as(ada)).StatusCode == http.StatusOK
		})
	})
}

// overload leaves no slot free and allows no queue.
func overload(w *world) {
	w.Limiter = limit.NewFair[int64](limit.FairConfig{Slots: 1})
	w.must(w.Limiter.Acquire(w.Context(), nobody))
}

func TestRequestsAreRefusedUnseenWhileTheQueueIsFull(t *testing.T) {
	eachWith(t, overload, func(w *world) {
		for _, path := range []string{"/api/auth/login", "/api/chat/send", "/api/auth/register"} {
			got := w.request("POST", path, "{", "Origin: https://elsewhere.example")
			w.wantsRefused(got)
			if got.Header.Get("Access-Control-Allow-Origin") != "*" ||
				got.Header.Get("X-Content-Type-Options") != "nosniff" {
				w.Errorf("%s: the headers are %v", path, got.Header)
			}
		}
		w.must(w.guest().Ready(w.Context()))
		if counted := w.request("GET", "/metrics", "").text; !strings.Contains(counted, "parley_refused_total 3\n") {
			w.Error("the refusals are not counted")
		}
	})
}
