package api_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley"
)

// TestABrokenBodyIsTheCallersFault sends two bodies to every operation that takes one: a body that breaks off and a
// body with a bad chunk.
func TestABrokenBodyIsTheCallersFault(t *testing.T) {
	each(t, func(w *world) {
		ada := w.admin("ada")
		own := w.property(ada)
		tried := 0
		for key, op := range mustDocument(w.T).operations {
			if op.Operation.RequestBody == nil {
				continue
			}
			tried++
			path := op.Path
			for name, id := range own {
				path = strings.ReplaceAll(path, "{"+name+"}", id)
			}
			body, kind := op.exampleBody(w, own)
			body = body[:len(body)-8] // an upload lacks only the last boundary
			head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: parley\r\n%s\r\n", op.Method, path, as(ada))
			if kind != "" {
				head += kind + "\r\n"
			}
			for _, broken := range []string{
				fmt.Sprintf("Content-Length: 1000\r\n\r\n%s", body),
				fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(body)+1, body),
				fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\nbad\r\n", len(body), body),
				fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\nffffffffffffffffff\r\n", len(body), body),
			} {
				got := w.cutOff(head + broken)
				if got.StatusCode != http.StatusBadRequest || got.code() != parley.CodeInvalidParameter {
					w.Errorf("%s: HTTP %d, %s, to %q", key, got.StatusCode, got.text, broken)
				}
			}
		}
		if tried < 10 {
			w.Errorf("only %d operations were tried", tried)
		}
		w.wantsNoBlame()
		w.say(ada, own["session_id"], "The next one works")
	})
}

// cutOff sends the beginning of a request, closes the sending side of the connection and reads the response.
func (w *world) cutOff(request string) *reply {
	w.Helper()
	conn, response := w.raw(request)
	defer conn.Close()
	w.must(conn.(*net.TCPConn).CloseWrite())
	res, err := http.ReadResponse(response, nil)
	w.must(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	w.must(err)
	return newReply(res, text)
}

// TestRequestsThatAreNotHTTP sends requests that net/http refuses before it calls a handler. docs/api.md describes
// the responses.
func TestRequestsThatAreNotHTTP(t *testing.T) {
	each(t, func(w *world) {
		for _, test := range []struct {
			name, request string
			status        int
		}{
			{"a bad escape in the path", "GET /api/files/%zz HTTP/1.1\r\nHost: parley\r\n\r\n", 400},
			{"no host", "GET /api/user/info HTTP/1.1\r\n\r\n", 400},
			{"a bad host", "GET /api/user/info HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
			{"a bad header", "GET /api/user/info HTTP/1.1\r\nHost: parley\r\nA b: c\r\n\r\n", 400},
			{"an expectation", "GET /api/user/info HTTP/1.1\r\nHost: parley\r\nExpect: more\r\n\r\n", 417},
			{"large headers", "GET /api/user/info HTTP/1.1\r\nHost: parley\r\nA: " + strings.Repeat("a", 2<<20), 431},
			{"an encoding", "POST /api/chat/send HTTP/1.1\r\nHost: parley\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
			{"a version", "GET /api/user/info HTTP/3.7\r\nHost: parley\r\n\r\n", 505},
		} {
			got := w.cutOff(test.request)
			if got.StatusCode != test.status || got.Header.Get("Connection") != "close" && !got.Close {
				w.Errorf("%s: HTTP %d, %v, %s", test.name, got.StatusCode, got.Header, got.text)
			}
			if len(got.envelope) > 0 {
				w.Errorf("%s is in the envelope, contrary to docs/api.md: %s", test.name, got.text)
			}
		}
	})
}
