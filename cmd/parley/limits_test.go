package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
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

// TestTooMuchAtOnceIsRefusedAndTheRestIsDone has many clients write over and over on one
// processor: what is refused is not there, what is not refused is, and all is counted.
func TestTooMuchAtOnceIsRefusedAndTheRestIsDone(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "GOMAXPROCS=1")
	ada := p.user("ada")
	const body = `{"title":"one of many"}`
	request := fmt.Sprintf("POST /api/chat/session HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", ada.Token(), len(body), body)
	var done, refused atomic.Int64
	var all sync.WaitGroup
	for _, conn := range p.connect(500, request) {
		all.Go(func() {
			in := bufio.NewReader(conn)
			for left := 9; ; left-- {
				response, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				switch {
				case response.StatusCode == http.StatusOK:
					done.Add(1)
				case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "":
					refused.Add(1)
				default:
					t.Errorf("%s %v", response.Status, response.Header)
				}
				if left == 0 {
					return
				}
				if _, err := io.WriteString(conn, request); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if done.Load() == 0 || refused.Load() == 0 || done.Load()+refused.Load() != 5000 {
		t.Errorf("%d were done, %d refused", done.Load(), refused.Load())
	}
	sessions, err := ada.Sessions(t.Context(), "", parley.Page{})
	must(t, err)
	if int64(sessions.Total) != done.Load() {
		t.Errorf("%d were done, %d are there", done.Load(), sessions.Total)
	}
	unseen := p.figure("parley_refused_total")
	logged := func() int { return strings.Count(p.said(), " status=503 ") }
	for begun := time.Now(); int64(unseen+logged()) < refused.Load() && time.Since(begun) < patience; {
		time.Sleep(time.Millisecond) // the log comes through a pipe
	}
	if unseen == 0 || int64(unseen+logged()) != refused.Load() {
		t.Errorf("%d were refused, of which %d are counted and %d logged", refused.Load(), unseen, logged())
	}
}
