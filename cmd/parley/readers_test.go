package main_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

// readerCount returns the number of clients in TestReadersLeaveNothingBehind. `make readers` sets a higher one.
func readerCount(t *testing.T) int {
	text := os.Getenv("PARLEY_TEST_READERS")
	if text == "" {
		return 300
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// figure returns a value of /metrics.
func (p *process) figure(name string) int {
	p.t.Helper()
	response, err := http.Get(p.url + "/metrics")
	must(p.t, err)
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			n, err := strconv.ParseFloat(value, 64)
			must(p.t, err)
			return int(n)
		}
	}
	p.t.Fatalf("there is no figure %s", name)
	return 0
}

// openReader follows a reply over its own connection and returns after the first delta.
func (p *process) openReader(as *client.Client, replyID string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(conn, "GET /api/chat/stream/%s HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer %s\r\n\r\n",
		replyID, as.Token()); err != nil {
		return conn, err
	}
	for lines := bufio.NewReaderSize(conn, 512); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return conn, fmt.Errorf("a stream began with %q: %w", line, err)
		}
		if strings.Contains(line, `"text":"Well"`) {
			return conn, nil
		}
	}
}

// TestReadersLeaveNothingBehind has many clients follow open replies, then disconnects them all at once.
func TestReadersLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	count := readerCount(t)
	m, settings := model(t)
	let := make(chan struct{})
	m.Respond(func(aitest.Request) []aitest.Step {
		return []aitest.Step{aitest.Text("Well"), aitest.Wait(let), aitest.Text("."), aitest.End()}
	})
	p := start(t, append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_MAX_CONNECTIONS_PER_ADDRESS=off",
		fmt.Sprintf("PARLEY_MAX_CONNECTIONS=%d", count+100), fmt.Sprintf("PARLEY_USER_REQUESTS=%d", count+100))...)
	ada := p.user("ada")
	const replies = 10
	var asked []*client.Stream
	var ids []string
	for range replies {
		s, err := ada.Stream(t.Context(), parley.SendInput{SessionID: session(t, ada), Content: "Is it?"})
		must(t, err)
		defer s.Close()
		watcher := &reader{t: t}
		watcher.read(s, func() bool { return watcher.text == "Well" })
		asked, ids = append(asked, s), append(ids, watcher.replyID)
	}
	figures := []string{"go_goroutines", "process_open_fds", "parley_open_streams"}
	before := map[string]int{}
	for _, name := range figures {
		before[name] = p.figure(name)
	}

	conns := make([]net.Conn, count)
	var opening sync.WaitGroup
	for opener := range 50 {
		opening.Go(func() {
			for i := opener; i < count; i += 50 {
				var err error
				if conns[i], err = p.openReader(ada, ids[i%replies]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	opening.Wait()
	if open := p.figure("parley_open_streams"); open != count+replies {
		t.Errorf("%d streams are open", open)
	}
	t.Logf("%d readers: %d goroutines, %d descriptors, %d MB", count, p.figure("go_goroutines"),
		p.figure("process_open_fds"), p.figure("process_resident_memory_bytes")/1e6)
	for _, conn := range conns {
		if conn != nil {
			conn.Close()
		}
	}
	const noise = 20 // idle connections and connections to the database come and go
	for _, name := range figures {
		until(t, fmt.Sprintf("%s is %d again", name, before[name]),
			func() bool { return p.figure(name) <= before[name]+noise })
	}
	t.Logf("before: %v; after: %d goroutines, %d descriptors", before, p.figure("go_goroutines"),
		p.figure("process_open_fds"))
	close(let)
	for _, s := range asked {
		watcher := &reader{t: t}
		if watcher.read(s, nil); !watcher.done {
			t.Error("a reader who stayed did not get the end")
		}
	}
}
