package main_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley"
)

// ask asks for a path over a connection of its own, which stays open.
func (p *process) ask(path string) *http.Response {
	p.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	must(p.t, err)
	p.t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
	must(p.t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(p.t, err)
	p.t.Cleanup(func() { response.Body.Close() })
	return response
}

func TestConnectionsOverTheLimitAreToldSo(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_MAX_CONNECTIONS=2")
	for range 2 {
		if got := p.ask("/api/user/info"); got.StatusCode != http.StatusUnauthorized || got.Close {
			t.Errorf("within the limit: HTTP %d, kept alive: %t", got.StatusCode, !got.Close)
		}
	}
	got := p.ask("/api/user/info")
	var envelope struct {
		Error parley.Code `json:"error"`
	}
	must(t, json.NewDecoder(got.Body).Decode(&envelope))
	if got.StatusCode != http.StatusServiceUnavailable || !got.Close || got.Header.Get("Retry-After") == "" || envelope.Error != parley.CodeInternal {
		t.Errorf("over the limit: HTTP %d with %v, error %d", got.StatusCode, got.Header, envelope.Error)
	}
	if got := p.ask("/healthz"); got.StatusCode != http.StatusOK || !got.Close {
		t.Errorf("health: HTTP %d, kept alive: %t", got.StatusCode, !got.Close)
	}
}
