package openai

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

func TestConnectionIsUsedAgain(t *testing.T) {
	const replies = 5
	for name, start := range map[string]func(*httptest.Server){
		"HTTP":   (*httptest.Server).Start,
		"TLS":    (*httptest.Server).StartTLS,
		"HTTP/2": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		t.Run(name, func(t *testing.T) {
			var connections atomic.Int32
			server := httptest.NewUnstartedServer(aitest.Prepared("yes"))
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			start(server)
			defer server.Close()
			transport := NewTransport()
			if trusting, ok := server.Client().Transport.(*http.Transport); ok {
				transport.TLSClientConfig = trusting.TLSClientConfig
			}
			model := newModel(t, server.URL, func(c *Config) { c.Transport = transport })
			for range replies {
				if err := model.Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {}); err != nil {
					t.Fatal(err)
				}
			}
			model.Close()
			server.Close()
			// A stalled machine may lose a connection between two replies, but not between all of them.
			if n := connections.Load(); n >= replies {
				t.Errorf("%d connections for %d replies", n, replies)
			}
		})
	}
}

// wireServer sends responses byte for byte.
type wireServer struct {
	url     string
	respond func(conn net.Conn, n int32) (keep bool)

	requests atomic.Int32
	serving  sync.WaitGroup
}

// serveWire starts a server that calls respond with the connection of each request and the number of requests
// so far. The connection is closed if respond returns false.
func serveWire(t *testing.T, respond func(conn net.Conn, n int32) bool) *wireServer {
	t.Helper()
	current := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, current) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &wireServer{url: "http://" + listener.Addr().String(), respond: respond}
	s.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
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
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		if !s.respond(conn, s.requests.Add(1)) {
			return
		}
	}
}

func TestRequestOnAClosedIdleConnectionIsSentAgain(t *testing.T) {
	server := serveWire(t, func(conn net.Conn, n int32) bool {
		if n == 2 {
			return false
		}
		stream := aitest.Stream("yes")
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk(stream)+chunk(""))
		return true
	})
	model := newModel(t, server.url)
	for range 2 {
		// There is no time for another try.
		prompt := &ai.Prompt{Question: "Hello", TryUntil: time.Now().Add(-time.Second)}
		if err := model.Reply(t.Context(), prompt, func(ai.Chunk) {}); err != nil {
			t.Fatal(err)
		}
	}
	if n := server.requests.Load(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestEndlessHeaderIsNotReadToItsEnd(t *testing.T) {
	server := serveWire(t, func(conn net.Conn, _ int32) bool {
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		for err == nil {
			_, err = io.WriteString(conn, "X: "+strings.Repeat("x", 1000)+"\r\n")
		}
		return false
	})
	err := newModel(t, server.url).Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
	wantFailure(t, err, Unreachable)
}

func TestBrokenResponsesAreUnreachable(t *testing.T) {
	for name, response := range map[string]string{
		"nothing":         "",
		"half a header":   "HTTP/1.1 200 OK\r\n",
		"half a response": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: ",
		"half a chunk":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata",
		"not HTTP":        "220 mail.example ESMTP\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			server := serveWire(t, func(conn net.Conn, _ int32) bool {
				_, _ = io.WriteString(conn, response)
				return false
			})
			err := newModel(t, server.url).Reply(t.Context(), &ai.Prompt{Question: "Hello"}, func(ai.Chunk) {})
			wantFailure(t, err, Unreachable)
			if n := server.requests.Load(); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
		})
	}
}

func TestSentPromptIsReleasedOnceTheReplyHasBegun(t *testing.T) {
	measured := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		aitest.Text("one")(w, r)
		aitest.Wait(measured)(w, r)
		aitest.End()(w, r)
	}))
	defer server.Close()
	model := newModel(t, server.URL)
	const size = 16 << 20
	before := heap()
	err := model.Reply(t.Context(), &ai.Prompt{Question: strings.Repeat("x", size)}, func(ai.Chunk) {
		if kept := heap() - before; kept > size/2 {
			t.Errorf("%d bytes are kept", kept)
		}
		close(measured)
	})
	if err != nil {
		t.Error(err)
	}
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// chunk encodes data as one chunk of a chunked body; the empty one is the last.
func chunk(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }
