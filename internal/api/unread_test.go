package api_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"parley/internal/api"
)

// abandon makes a request and never sends its body. The server must respond without it and close the connection.
func (w *world) abandon(line, headers string, status int) {
	w.Helper()
	conn, in := w.raw(line + " HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n" + headers + "\r\n{")
	w.must(conn.SetReadDeadline(time.Now().Add(patience)))
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		w.Errorf("%s: %v", line, err)
		return
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != status {
		w.Errorf("%s: HTTP %d, %v", line, res.StatusCode, err)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		w.Errorf("%s: the connection is open: %v", line, err)
	}
}

func TestAnEarlyResponseEndsAConnectionWhoseBodyNeverComes(t *testing.T) {
	each(t, func(w *world) {
		token := as(w.user("ada")) + "\r\n"
		busy := func(config *api.Config) { overload(w); config.Limiter = w.Limits.Requests }
		rare := func(config *api.Config) { config.AddressRate = api.Rate{Requests: 1, Per: time.Hour} }
		overloaded, limited := w.at(w.another(busy)), w.at(w.another(rare))
		limited.request("GET", "/api/user/info", "")
		var all sync.WaitGroup
		for _, test := range []struct {
			w             *world
			line, headers string
			status        int
		}{
			{w, "POST /api/chat/session", "", 401},
			{w, "POST /api/files/upload", "Content-Type: multipart/form-data; boundary=b\r\n", 401},
			{w, "POST /api/nowhere", "", 404},
			{w, "POST /api/user/info", "", 405},
			{w, "GET /api/user/info", token, 200},
			{w, "GET /healthz", "", 200},
			{w, "GET /", "", 200},
			{limited, "POST /api/auth/login", "", 429},
			{overloaded, "POST /api/auth/login", "", 503},
		} {
			all.Go(func() { test.w.abandon(test.line, test.headers, test.status) })
		}
		all.Wait()
	})
}

// at returns the world with another server.
func (w *world) at(url string) *world {
	other := *w
	other.URL = url
	return &other
}

// TestAnUnreadBodyKeepsItsConnection sends a body to routes that don't take one.
func TestAnUnreadBodyKeepsItsConnection(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		request := fmt.Sprintf("GET /api/user/info HTTP/1.1\r\nHost: test\r\n%s\r\nContent-Length: 2\r\n\r\n{}", as(ada))
		_, in := w.raw(request + request)
		for range 2 {
			res, err := http.ReadResponse(in, nil)
			w.must(err)
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK || res.Close {
				w.Errorf("HTTP %d, close: %t, %v", res.StatusCode, res.Close, err)
			}
		}
	})
}
