package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener with pipes as connections. Unlike sockets, pipes work in a synctest bubble.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// peer is a client with one connection to a server behind readDeadline.
type peer struct {
	*testing.T
	conn net.Conn
	in   *bufio.Reader
}

// testPeer serves a handler to a client on a fake clock.
func testPeer(t *testing.T, handle http.HandlerFunc, test func(*peer)) {
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: copying(readDeadline(handle))}
		ended := make(chan error)
		go func() { ended <- server.Serve(listener) }()
		client, conn := net.Pipe()
		listener.accepted <- conn
		test(&peer{T: t, conn: client, in: bufio.NewReader(client)})
		_ = server.Close()
		<-ended
		client.Close()
	})
}

// copying passes on a copy of the request, as the router does.
func copying(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(r.Context()))
	})
}

func (p *peer) send(request string) {
	p.Helper()
	go func() { _, _ = io.WriteString(p.conn, request) }() // the server may close the connection
}

// receive reads a response. last is true if the server then closes the connection.
func (p *peer) receive() (status int, last bool, text string) {
	p.Helper()
	response, err := http.ReadResponse(p.in, nil)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	return response.StatusCode, response.Close, string(body)
}

// gone waits until the server has closed the connection. It returns how long that took.
func (p *peer) gone() time.Duration {
	begun := time.Now()
	_, _ = io.Copy(io.Discard, p.in)
	return time.Since(begun)
}

func refuse(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }

func TestABodyThatNeverComesHoldsNoConnection(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, handle := range map[string]http.HandlerFunc{
		"refused":         refuse,
		"not written to":  func(http.ResponseWriter, *http.Request) {},
		"a long response": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) },
		"read":            func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) },
	} {
		for _, head := range []string{"Content-Length: 10", "Content-Length: 1000000", "Transfer-Encoding: chunked"} {
			t.Run(name+" "+head, func(t *testing.T) {
				testPeer(t, handle, func(p *peer) {
					p.send("POST / HTTP/1.1\r\nHost: test\r\n" + head + "\r\n\r\n5")
					if took := p.gone(); took > bodyReadTimeout+time.Second {
						p.Errorf("it is closed after %v", took)
					}
				})
			})
		}
	}
}

func TestABodyThatNobodyReadsLeavesItsConnection(t *testing.T) {
	testPeer(t, refuse, func(p *peer) {
		for range 3 {
			p.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n12")
			time.Sleep(time.Second)
			p.send("345")
			if status, last, _ := p.receive(); status != http.StatusUnauthorized || last {
				p.Errorf("HTTP %d, close: %t", status, last)
			}
		}
	})
}

func TestABodyIsNotAskedForToBeDiscarded(t *testing.T) {
	testPeer(t, refuse, func(p *peer) {
		p.send("POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		if status, last, _ := p.receive(); status != http.StatusUnauthorized || !last {
			p.Errorf("HTTP %d, close: %t", status, last)
		}
		if took := p.gone(); took > maxDiscardTime+time.Second {
			p.Errorf("it is closed after %v", took)
		}
	})
}

// TestADeadlineEndsWithItsBody has requests that keep working long after their body has arrived.
func TestADeadlineEndsWithItsBody(t *testing.T) {
	work := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(10 * time.Minute)
		_, _ = io.WriteString(w, "context: "+errorText(r.Context()))
	}
	form := "--b\r\nContent-Disposition: form-data; name=\"session_id\"\r\n\r\nx\r\n--b--\r\n"
	for name, handle := range map[string]http.HandlerFunc{
		"read": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			work(w, r)
		},
		"an upload": func(w http.ResponseWriter, r *http.Request) {
			body := &uploadReader{
				r: r.Body, control: http.NewResponseController(w), other: maxOther, begun: time.Now(),
				pace: pace{rate: uploadRate},
			}
			parts := multipart.NewReader(body, "b")
			for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
				_, _ = io.Copy(io.Discard, part)
			}
			_, _ = io.Copy(io.Discard, body)
			_, _ = io.Copy(io.Discard, body)
			work(w, r)
		},
		"a stream": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			work(w, r)
		},
		"not read": work,
	} {
		t.Run(name, func(t *testing.T) {
			testPeer(t, handle, func(p *peer) {
				p.send(fmt.Sprintf("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: %d\r\n\r\n%s", len(form), form))
				if _, _, body := p.receive(); body != "context: alive" {
					p.Errorf("%s", body)
				}
			})
		})
	}
}

func errorText(ctx context.Context) string {
	if err := ctx.Err(); err != nil {
		return err.Error()
	}
	return "alive"
}
