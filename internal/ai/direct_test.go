package ai

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// wireServer answers requests with bytes as they stand.
type wireServer struct {
	url    string
	answer func(conn net.Conn, n int, body string) (goOn bool)

	mu          sync.Mutex
	connections int
	requests    int
	serving     sync.WaitGroup
}

// serveWire starts a server whose answer is called with each request's connection, the
// number of requests so far on all connections, and the request's body. The connection
// stays open while answer returns true and is closed when the client closes it. At the
// end of the test no goroutine may be left.
func serveWire(t *testing.T, answer func(conn net.Conn, n int, body string) bool) *wireServer {
	t.Helper()
	current := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, current) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &wireServer{url: "http://" + listener.Addr().String(), answer: answer}
	s.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
			s.serving.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		s.serving.Wait()
	})
	return s
}

func (s *wireServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.requests++
		n := s.requests
		s.mu.Unlock()
		if !s.answer(conn, n, string(body)) {
			return
		}
	}
}

// counted returns how many connections and requests there were.
func (s *wireServer) counted() (connections, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections, s.requests
}

// say writes text and leaves the connection open.
func say(text string) func(net.Conn, int, string) bool {
	return func(conn net.Conn, _ int, _ string) bool {
		_, _ = io.WriteString(conn, text)
		return true
	}
}

// sayAndClose writes text and closes the connection.
func sayAndClose(text string) func(net.Conn, int, string) bool {
	return func(conn net.Conn, _ int, _ string) bool {
		_, _ = io.WriteString(conn, text)
		return false
	}
}

// newTransport is a transport whose idle connections are closed with the test.
func newTransport(t *testing.T) *Transport {
	transport := NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// ask posts a body and returns the status and the body of the answer.
func ask(ctx context.Context, transport http.RoundTripper, url, question string) (status int, body string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(question))
	if err != nil {
		return 0, "", err
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

func TestDirectReadsAnswersOfEveryForm(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name        string
		answer      func(net.Conn, int, string) bool
		status      int
		body        string
		connections int // for two requests
	}{
		{"content length", say(ok + "Content-Length: 5\r\n\r\nhello"), 200, "hello", 1},
		{"chunks", say(ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"), 200, "hello", 1},
		{"chunks and a trailer", say(ok + "Transfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n5\r\nhello\r\n0\r\nSum: 1\r\n\r\n"), 200, "hello", 1},
		{"longer than all buffers", say(ok + "Content-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000)), 200, strings.Repeat("x", 100000), 1},
		{"empty", say(ok + "Content-Length: 0\r\n\r\n"), 200, "", 1},
		{"no content", say("HTTP/1.1 204 No Content\r\n\r\n"), 204, "", 1},
		{"an error", say("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"), 503, "busy", 1},
		{"interim answers", say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 5\r\n\r\nhello"), 200, "hello", 1},
		{"a head just within the limit", say(ok + "X: " + strings.Repeat("x", 63<<10) + "\r\nContent-Length: 5\r\n\r\nhello"), 200, "hello", 1},
		{"until the end", sayAndClose(ok + "\r\nhello"), 200, "hello", 2},
		{"the last of a connection", say(ok + "Connection: close\r\nContent-Length: 5\r\n\r\nhello"), 200, "hello", 2},
		{"HTTP/1.0", say("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"), 200, "hello", 2},
		{"more than the answer", say(ok + "Content-Length: 5\r\n\r\nhello" + ok), 200, "hello", 2},
		{"another protocol", say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), 101, "", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serveWire(t, test.answer)
			transport := newTransport(t)
			for range 2 {
				status, body, err := ask(t.Context(), transport, server.url, "question")
				if err != nil || status != test.status || body != test.body {
					t.Fatalf("status %d, body of %d bytes, error %v", status, len(body), err)
				}
			}
			if connections, requests := server.counted(); connections != test.connections || requests != 2 {
				t.Errorf("%d connections, %d requests", connections, requests)
			}
		})
	}
}

func TestDirectFailsOnBrokenAnswersWithoutAnotherTry(t *testing.T) {
	endless := func(begin, again string) func(net.Conn, int, string) bool {
		return func(conn net.Conn, _ int, _ string) bool {
			_, err := io.WriteString(conn, begin)
			for err == nil {
				_, err = io.WriteString(conn, again)
			}
			return false
		}
	}
	tests := []struct {
		name   string
		answer func(net.Conn, int, string) bool
		want   error // nil is any
	}{
		{"nothing", sayAndClose(""), io.ErrUnexpectedEOF},
		{"half a head", sayAndClose("HTTP/1.1 200 OK\r\n"), io.ErrUnexpectedEOF},
		{"half a body", sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell"), io.ErrUnexpectedEOF},
		{"half a chunk", sayAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhell"), io.ErrUnexpectedEOF},
		{"no last chunk", sayAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n"), io.ErrUnexpectedEOF},
		{"no HTTP", say("220 mail.example ESMTP\r\n"), nil},
		{"a status line without end", endless("HTTP/1.1 200 ", "very "), errHeadTooLong},
		{"a header without end", endless("HTTP/1.1 200 OK\r\nX: ", "xxxx"), errHeadTooLong},
		{"headers without end", endless("HTTP/1.1 200 OK\r\n", "X: y\r\n"), nil},
		{"interim answers without end", endless("", "HTTP/1.1 100 Continue\r\n\r\n"), errInterimAnswer},
		{"a chunk's head without end", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x"), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serveWire(t, test.answer)
			_, body, err := ask(t.Context(), newTransport(t), server.url, "question")
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("body %q, error %v", body, err)
			}
			if connections, requests := server.counted(); connections != 1 || requests != 1 {
				t.Errorf("%d connections, %d requests", connections, requests)
			}
		})
	}
}

func TestConnectionThatTheServerHasClosedIsReplaced(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	tests := []struct {
		name   string
		second func(net.Conn, int, string) bool // how the used connection fares, nil where it is closed before
		fails  bool
		// connections and requests are how many there are in the end.
		connections, requests int
	}{
		{"while it was idle", nil, false, 2, 2},
		{"as the request came", sayAndClose(""), false, 2, 3},
		{"in the middle of the answer", sayAndClose("HTTP/1.1 2"), true, 1, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			closed := make(chan struct{})
			server := serveWire(t, func(conn net.Conn, n int, body string) bool {
				if n == 2 && test.second != nil {
					return test.second(conn, n, body)
				}
				if body != "question" {
					t.Errorf("asked %q", body)
				}
				_, _ = io.WriteString(conn, answer)
				if n == 1 && test.second == nil {
					conn.Close()
					close(closed)
					return false
				}
				return true
			})
			transport := newTransport(t)
			if _, body, err := ask(t.Context(), transport, server.url, "question"); body != "hello" || err != nil {
				t.Fatalf("first: %q, error %v", body, err)
			}
			if test.second == nil {
				<-closed
			}
			_, body, err := ask(t.Context(), transport, server.url, "question")
			if test.fails != (err != nil) || err == nil && body != "hello" {
				t.Errorf("second: %q, error %v", body, err)
			}
			if connections, requests := server.counted(); connections != test.connections || requests != test.requests {
				t.Errorf("%d connections, %d requests", connections, requests)
			}
		})
	}
}

func TestBodyThatCanNotBeHadAgainIsNotSentAgain(t *testing.T) {
	server := serveWire(t, func(conn net.Conn, n int, body string) bool {
		return n == 1 && say("HTTP/1.1 204 No Content\r\n\r\n")(conn, n, body)
	})
	transport := newTransport(t)
	if _, _, err := ask(t.Context(), transport, server.url, "question"); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url, io.MultiReader(strings.NewReader("question")))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := transport.RoundTrip(req); err == nil {
		res.Body.Close()
		t.Error("no error")
	}
	if connections, requests := server.counted(); connections != 1 || requests != 2 {
		t.Errorf("%d connections, %d requests", connections, requests)
	}
}

func TestUnsolicitedBytesAreNotTakenForAnAnswer(t *testing.T) {
	more := make(chan struct{})
	sent := make(chan struct{})
	server := serveWire(t, func(conn net.Conn, n int, body string) bool {
		say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")(conn, n, body)
		if n == 1 {
			<-more
			say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")(conn, n, body)
			close(sent)
		}
		return true
	})
	transport := newTransport(t)
	if _, _, err := ask(t.Context(), transport, server.url, "question"); err != nil {
		t.Fatal(err)
	}
	close(more)
	<-sent
	status, body, err := ask(t.Context(), transport, server.url, "question")
	if err != nil || status != 200 || body != "hello" {
		t.Errorf("status %d, body %q, error %v", status, body, err)
	}
}

func TestCancelClosesTheConnectionAtOnce(t *testing.T) {
	for name, begin := range map[string]string{
		"before the head":       "",
		"in the head":           "HTTP/1.1 200 OK\r\n",
		"in chunks":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n",
		"in a body of a length": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe",
		"in a body until close": "HTTP/1.1 200 OK\r\n\r\nhe",
	} {
		t.Run(name, func(t *testing.T) {
			reason := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			server := serveWire(t, func(conn net.Conn, _ int, _ string) bool {
				_, _ = io.WriteString(conn, begin)
				cancel(reason)
				// The end of the test waits for the client to close.
				_, _ = conn.Read(make([]byte, 1))
				return false
			})
			if _, _, err := ask(ctx, newTransport(t), server.url, "question"); !errors.Is(err, reason) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestEndedContextDialsNothing(t *testing.T) {
	server := serveWire(t, say("HTTP/1.1 204 No Content\r\n\r\n"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := ask(ctx, newTransport(t), server.url, "question"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if connections, _ := server.counted(); connections != 0 {
		t.Errorf("%d connections", connections)
	}
}

func TestBodyClosedEarlyClosesItsConnection(t *testing.T) {
	gone := make(chan struct{}, 2)
	server := serveWire(t, func(conn net.Conn, _ int, _ string) bool {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		_, _ = conn.Read(make([]byte, 1))
		gone <- struct{}{}
		return false
	})
	transport := newTransport(t)
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url, strings.NewReader("question"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		<-gone
	}
	if connections, _ := server.counted(); connections != 2 {
		t.Errorf("%d connections", connections)
	}
}

func TestAnswerBeforeTheEndOfTheRequestIsRead(t *testing.T) {
	current := goleak.IgnoreCurrent()
	defer goleak.VerifyNone(t, current)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var server sync.WaitGroup
	left := make(chan struct{})
	server.Go(func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 8\r\n\r\ntoo much")
		<-left
	})
	transport := newTransport(t)
	status, body, err := ask(t.Context(), transport, "http://"+listener.Addr().String(), strings.Repeat("x", 32<<20))
	if err != nil || status != 413 || body != "too much" {
		t.Errorf("status %d, body %q, error %v", status, body, err)
	}
	close(left)
	server.Wait()
}

func TestOnlyPlainHTTPWithoutAProxyIsDirect(t *testing.T) {
	for url, want := range map[string]bool{
		"http://model.example/v1":        true,
		"http://[::1]:8000/v1":           true,
		"https://model.example/v1":       false,
		"http://bücher.example/v1":       false,
		"http://behind-a-proxy.example/": false,
	} {
		transport := newTransport(t)
		transport.other.Proxy = func(req *http.Request) (*neturl.URL, error) {
			if strings.HasPrefix(req.URL.Host, "behind") {
				return neturl.Parse("http://proxy.example:3128")
			}
			return nil, nil
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := transport.isDirect(req); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
