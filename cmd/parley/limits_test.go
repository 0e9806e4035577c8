package main_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testtier"
)

// answered is a response of the server.
type answered struct {
	status int
	last   bool // the connection ends with it
	header http.Header
	body   string
}

// ask sends a request over a new connection, which stays open.
func (p *process) ask(path string) answered {
	p.t.Helper()
	conn := p.connect(1, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")[0]
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
	if got.status != http.StatusServiceUnavailable || !got.last || got.header.Get("Retry-After") == "" ||
		!strings.Contains(got.body, `"error":5000`) {
		t.Errorf("over the limit: %+v", got)
	}
	if got := p.ask("/healthz"); got.status != http.StatusOK || !got.last {
		t.Errorf("health: %+v", got)
	}
}

// flood counts the outcomes of the requests of many clients.
type flood struct {
	t             *testing.T
	done, refused atomic.Int64
}

// run makes the same request several times, one after the other. The first has already been sent.
func (f *flood) run(conn net.Conn, request string, requests int) {
	in := bufio.NewReader(conn)
	for sent := 1; ; sent++ {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			f.t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		switch {
		case response.StatusCode == http.StatusOK:
			f.done.Add(1)
		case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "":
			f.refused.Add(1)
		default:
			f.t.Errorf("%s %v", response.Status, response.Header)
		}
		if sent == requests {
			return
		}
		if _, err := io.WriteString(conn, request); err != nil {
			f.t.Error(err)
			return
		}
	}
}

// holdDatabase keeps the server from writing until release is called.
func holdDatabase(t *testing.T, data string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "parley.db")+"?_pragma=busy_timeout(5000)")
	must(t, err)
	conn, err := db.Conn(t.Context())
	must(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	release = sync.OnceFunc(func() {
		_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK")
		if err := errors.Join(err, conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release)
	return release
}

// TestTooMuchAtOnceIsRefusedAndTheRestIsDone has more clients write at once than may run and wait. The database is
// busy at first. Refused requests must not be stored, all others must be, and the metrics must count both.
func TestTooMuchAtOnceIsRefusedAndTheRestIsDone(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	data := t.TempDir()
	p := start(t, "PARLEY_DATA="+data, "GOMAXPROCS=1", "PARLEY_REQUEST_TIMEOUT=1m")
	const body = `{"title":"one of many"}`
	const clients, each = 500, 10
	var people []*client.Client
	for _, name := range []string{"ada", "bob", "eve", "joe", "sue"} { // one user may not take everything
		people = append(people, p.user(name))
	}
	f := &flood{t: t}
	release := holdDatabase(t, data)
	var all sync.WaitGroup
	for _, person := range people {
		request := fmt.Sprintf("POST /api/chat/session HTTP/1.1\r\nHost: test\r\n"+
			"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", person.Token(), len(body), body)
		for _, conn := range p.connect(clients/len(people), request) {
			all.Go(func() { f.run(conn, request, each) })
		}
	}
	until(t, "requests are refused", func() bool { return f.refused.Load() > 0 })
	release()
	all.Wait()
	done, refused := f.done.Load(), f.refused.Load()
	t.Logf("%d were done, %d refused", done, refused)
	if done == 0 || done+refused != clients*each {
		t.Errorf("%d were done, %d refused", done, refused)
	}
	var stored int64
	for _, person := range people {
		sessions, err := person.Sessions(t.Context(), "", parley.Page{})
		must(t, err)
		stored += sessions.Total
	}
	if stored != done {
		t.Errorf("%d were done, %d are there", done, stored)
	}
	unseen := p.figure("parley_refused_total")
	if unseen == 0 {
		t.Error("every refused request was logged")
	}
	until(t, "every refusal is counted or logged", func() bool {
		return int64(unseen+strings.Count(p.said(), " status=503 ")) == refused
	})
}
