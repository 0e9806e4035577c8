package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"parley"
)

// TestHostileRequests sends invalid requests. Each must be refused with an envelope, and the next valid request must
// work.
func TestHostileRequests(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "A title")
		const create = "/api/chat/session"
		deep := strings.Repeat(`[`, 100_000)
		w.play(ada, []scenario{
			{name: "encoded dots", method: "GET", path: "/api/chat/%2e%2e/user/info", status: 404, code: 1001},
			{name: "dots for an id", method: "GET", path: "/api/files/..%2f..%2fetc%2fpasswd", status: 404, code: 2003},
			{name: "NUL in a path", method: "GET", path: "/api/files/%00", status: 404, code: 2003},
			{name: "deep nesting", path: create, body: `{"title":` + deep, status: 400, code: 1001},
			{
				name: "deep nesting that is closed", path: create, body: `{"more":` + deep + strings.Repeat(`]`, 100_000) + `}`,
				status: 400, code: 1001,
			},
			{name: "a number without end", path: create, body: `{"title":1e999}`, status: 400, code: 1001},
			{
				name: "a page beyond all numbers", method: "GET", path: "/api/chat/sessions?page=9223372036854775808",
				status: 400, code: 1001,
			},
			{name: "a page far beyond the end", method: "GET", path: "/api/chat/sessions?page=1000000000000000000", status: 200},
		})
		long := w.request("GET", "/api/user/info", "", "Authorization: Bearer "+strings.Repeat("A", 10<<10))
		if long.StatusCode != 401 || long.code() != parley.CodeBadToken {
			w.Errorf("a token of 10 KB: HTTP %d, %s", long.StatusCode, long.text)
		}
		w.say(ada, session, "The next one works")
		if got := w.only(ada); got.MessageCount != 2 || got.Title != "A title" {
			w.Errorf("got %+v", got)
		}
	})
}

// TestABodyWithoutALengthIsBoundedToo sends more than the limit, in chunks. It sends only one byte more: if the
// server closes the connection while a client is sending, the client may not see the response.
func TestABodyWithoutALengthIsBoundedToo(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		body := struct{ *bytes.Reader }{bytes.NewReader(bytes.Repeat([]byte(" "), 2<<20+1))} // hides its length
		r, err := http.NewRequestWithContext(w.Context(), "POST", w.URL+"/api/chat/session", body)
		w.must(err)
		r.Header.Set("Authorization", "Bearer "+ada.Token())
		answer, err := http.DefaultClient.Do(r)
		w.must(err)
		defer answer.Body.Close()
		if answer.StatusCode != 413 {
			w.Errorf("HTTP %d", answer.StatusCode)
		}
	})
}
