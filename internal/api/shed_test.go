package api_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai/aitest"
	"parley/internal/limit"
)

// nobody is not the id of any user.
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
		w.Limits.Requests = limit.NewFair[int64](limit.FairConfig{Slots: 1, Queue: 10, MaxWait: time.Millisecond})
		w.restart()
		ada = w.again(ada)
		w.must(w.Limits.Requests.Acquire(w.Context(), nobody))
		w.wantsRefused(w.request("GET", "/api/user/info", "", as(ada)))
		w.wantsRefused(w.request("POST", "/api/chat/send", `{"session_id":"`+session+`","content":"Is it?"}`, as(ada)))
		w.login("ada", "password of ada") // it has its own queue
		w.Limits.Requests.Release(nobody)
		if stored := w.messages(ada, session); len(stored) != 0 {
			w.Errorf("stored %+v", stored)
		}
		w.say(ada, session, "Is it?")
	})
}

// TestOneUserLeavesRoomForOthers takes all slots that one user may have.
func TestOneUserLeavesRoomForOthers(t *testing.T) {
	share := func(w *world) {
		w.Limits.Requests = limit.NewFair[int64](limit.FairConfig{
			Slots: 2, SlotsPerKey: 1, Queue: 10, MaxWait: time.Millisecond,
		})
	}
	eachWith(t, share, func(w *world) {
		ada, bob := w.user("ada"), w.user("bob")
		session := w.session(ada, "")
		info, err := ada.User(w.Context())
		w.must(err)
		w.must(w.Limits.Requests.Acquire(w.Context(), info.UserID))
		defer w.Limits.Requests.Release(info.UserID)
		w.wantsRefused(w.request("GET", "/api/user/info", "", as(ada)))
		w.wantsRefused(w.request("POST", "/api/chat/send", `{"session_id":"`+session+`","content":"Is it?"}`, as(ada)))
		w.say(bob, w.session(bob, ""), "Is it?")
	})
}

// unfinished begins requests with a long body that never ends.
func (w *world) unfinished(count int, path string, headers ...string) []net.Conn {
	w.Helper()
	begun := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n\r\n{\"x\":\"%s",
		path, longBody, strings.Join(headers, "\r\n"), strings.Repeat("x", longBody-1000))
	var conns []net.Conn
	for range count {
		conn, _ := w.raw(begun)
		conns = append(conns, conn)
	}
	return conns
}

const longBody = 120_000

// longBodies sets a limit that allows ten long bodies, and one of them per user.
func longBodies(w *world) { w.Limits.Bodies = limit.NewByteShares[int64](10*longBody, 1000) }

// TestOneUserHasAShareOfTheBodies has a user send long bodies that never end.
func TestOneUserHasAShareOfTheBodies(t *testing.T) {
	eachWith(t, longBodies, func(w *world) {
		ada, bob := w.user("ada"), w.user("bob")
		conns := w.unfinished(1, "/api/chat/session", as(ada))
		long := `{"title":"ferries","x":"` + strings.Repeat("x", longBody) + `"}`
		w.eventually("the body has come so far", func() bool { return w.Limits.Bodies.Used() > longBody-5000 })
		w.wantsRefused(w.request("POST", "/api/chat/session", long, as(ada)))
		w.wantsRefused(w.request("POST", "/api/chat/send", long, as(ada)))
		w.session(ada, "short bodies are taken")
		if got := w.request("POST", "/api/chat/session", long, as(bob)); got.StatusCode != http.StatusOK {
			w.Errorf("another user gets HTTP %d, %s", got.StatusCode, got.text)
		}
		for _, conn := range conns {
			w.must(conn.Close())
		}
		w.eventually("there is room again", func() bool {
			return w.request("POST", "/api/chat/session", long, as(ada)).StatusCode == http.StatusOK
		})
	})
}

// TestALargeCallIsReadOnAnIdleServer sends calls of nearly a quarter of the limit, as 16 MiB are on a server: one of
// an unknown length, and one of a known length while another user holds as much.
func TestALargeCallIsReadOnAnIdleServer(t *testing.T) {
	prepare := func(w *world) { w.Limits.Bodies = limit.NewByteShares[int64](4<<20, 1<<10) }
	eachWith(t, prepare, func(w *world) {
		ada, bob := w.user("ada"), w.user("bob")
		picture := strings.Repeat("A", 15<<16)
		w.Model.Script(aitest.Status(http.StatusOK, plainAnswer))
		request := w.openAIRequest(ada, "POST", "chat/completions",
			`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"`+picture+`"}}]}]}`)
		request.ContentLength = -1
		response, err := http.DefaultClient.Do(request)
		w.must(err)
		text, err := io.ReadAll(response.Body)
		w.must(errors.Join(err, response.Body.Close()))
		if response.StatusCode != http.StatusOK {
			w.Errorf("HTTP %d, %s", response.StatusCode, text)
		}
		w.eventually("nothing is held", func() bool { return w.Limits.Bodies.Used() == 0 })

		conn, _ := w.raw(fmt.Sprintf("POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n\r\n{",
			15<<16, as(ada)))
		w.eventually("the length is held", func() bool { return w.Limits.Bodies.Used() > 14<<16 })
		call := `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"` + picture + `"}]}]}`
		w.wantsOpenAI(w.call(ada, "POST", "responses", call), 503, "server_error", "", "")
		w.Model.Script(aitest.Say("Fine.")...)
		if got := w.call(bob, "POST", "responses", call); got.status != http.StatusOK {
			w.Errorf("another user gets HTTP %d, %s", got.status, got.text)
		}
		w.must(conn.Close())
		w.wantsOpenAI(w.call(bob, "POST", "responses", strings.Repeat(" ", 16<<20+1)), 413, "invalid_request_error", "", "")
	})
}

// TestUnfinishedLoginsTakeNoRoom has strangers send more than all bodies together may take.
func TestUnfinishedLoginsTakeNoRoom(t *testing.T) {
	eachWith(t, longBodies, func(w *world) {
		ada := w.user("ada")
		for _, conn := range w.unfinished(12, "/api/auth/login") {
			w.must(conn.SetReadDeadline(time.Now().Add(patience)))
			if text, err := io.ReadAll(conn); err != nil || !strings.Contains(string(text), " 413 ") {
				w.Errorf("%v, %s", err, text)
			}
		}
		long := `{"title":"ferries","x":"` + strings.Repeat("x", longBody) + `"}`
		if got := w.request("POST", "/api/chat/session", long, as(ada)); got.StatusCode != http.StatusOK {
			w.Errorf("HTTP %d, %s", got.StatusCode, got.text)
		}
	})
}

// overload leaves no slot free and allows no queue.
func overload(w *world) {
	w.Limits.Requests = limit.NewFair[int64](limit.FairConfig{Slots: 1})
	w.must(w.Limits.Requests.Acquire(w.Context(), nobody))
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
