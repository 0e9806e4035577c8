package main_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// answered is an answer of the server.
type answered struct {
	status int
	last   bool // the connection ends with it
	header http.Header
	body   string
}

// ask asks for a path over a connection of its own, which stays open.
func (p *process) ask(path string) answered {
	p.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	must(p.t, err)
	p.t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
	must(p.t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(p.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(p.t, err)
	return answered{status: response.StatusCode, last: response.Close, header: response.Header, body: string(body)}
}

func TestConnectionsOverTheLimitAreToldSo(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_MAX_CONNECTIONS=2")
	for range 2 {
		if got := p.ask("/api/user/info"); got.status != http.StatusUnauthorized || got.last {
			t.Errorf("within the limit: %+v", got)
		}
	}
	got := p.ask("/api/user/info")
	if got.status != http.StatusServiceUnavailable || !got.last || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, `"error":5000`) {
		t.Errorf("over the limit: %+v", got)
	}
	if got := p.ask("/healthz"); got.status != http.StatusOK || !got.last {
		t.Errorf("health: %+v", got)
	}
}
