package limit_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/limit"
)

// refuser is a server whose connections refuse by their sockets.
type refuser struct {
	address string
	closed  chan net.Conn // those that are; there is room for all
}

func newRefuser(t testing.TB, refusal *limit.Refusal, idle, stall time.Duration) refuser {
	t.Helper()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := refuser{address: inner.Addr().String(), closed: make(chan net.Conn, 100)}
	web := &http.Server{
		Handler:     http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL) }),
		IdleTimeout: idle, ConnContext: limit.Mark,
		ConnState: func(c net.Conn, state http.ConnState) {
			limit.Watch(c, state)
			if state == http.StateClosed {
				r.closed <- c
			}
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(limit.NewListener(inner, 100, stall, refusal)) }()
	t.Cleanup(func() {
		_ = web.Close()
		<-ended
	})
	return r
}

// caller is a client that sees the bytes.
type caller struct {
	*net.TCPConn
	in *bufio.Reader
}

// call opens a connection and makes its first request, which is never refused.
func call(t testing.TB, r refuser) *caller {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c := &caller{conn.(*net.TCPConn), bufio.NewReader(conn)}
	if got, err := c.ask(plain); got != "200 /api/user" || err != nil {
		t.Fatalf("at first it said %q, %v", got, err)
	}
	return c
}

func (c *caller) ask(request string) (string, error) {
	if _, err := io.WriteString(c, request); err != nil {
		return "", err
	}
	return c.hear()
}

// hear is the next answer.
func (c *caller) hear() (string, error) {
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return fmt.Sprint(response.StatusCode, " ", string(body)), err
}

// TestNoRequestIsOverlooked asks as fast as it can, while the server now refuses and now
// does not.
func TestNoRequestIsOverlooked(t *testing.T) {
	t.Parallel()
	var needed atomic.Bool
	var count, heard atomic.Int64
	server := newRefuser(t, &limit.Refusal{Needed: needed.Load, Prefix: "/api/", Answer: []byte(full), Count: func() { count.Add(1) }}, time.Minute, time.Minute)
	var all sync.WaitGroup
	for i := range 16 {
		c, dice := call(t, server), rand.New(rand.NewPCG(1, uint64(i)))
		all.Go(func() {
			for n := range 1000 {
				needed.Store(dice.IntN(4) > 0)
				got, err := c.ask(plain)
				if got == "503 full" {
					heard.Add(1)
				} else if got != "200 /api/user" || err != nil {
					t.Errorf("answer %d is %q, %v", n, got, err)
					return
				}
			}
		})
	}
	all.Wait()
	if count.Load() != heard.Load() || heard.Load() == 0 {
		t.Errorf("%d were refused, %d heard of it", count.Load(), heard.Load())
	}
}

func TestAfterRefusalsAConnectionEndsAsOthersDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		idle time.Duration
		end  func(*caller) error
	}{
		"its client says nothing more": {50 * time.Millisecond, func(*caller) error { return nil }},
		"its client closes its end":    {time.Minute, func(c *caller) error { return c.CloseWrite() }},
		"its client asks again and closes its end": {time.Minute, func(c *caller) error {
			_, err := io.WriteString(c, plain)
			if err == nil {
				err = c.CloseWrite()
			}
			if err == nil {
				_, err = c.hear()
			}
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count := 0
			c := call(t, newRefuser(t, refuse(&count), test.idle, time.Minute))
			if got, err := c.ask(plain); got != "503 full" || err != nil {
				t.Fatalf("it said %q, %v", got, err)
			}
			if err := test.end(c); err != nil {
				t.Fatal(err)
			}
			if got, err := c.hear(); !errors.Is(err, io.ErrUnexpectedEOF) || got != "" {
				t.Errorf("it said %q, %v", got, err)
			}
		})
	}
}

// TestALongRefusalArrives is about an answer that the socket doesn't take at once.
func TestALongRefusalArrives(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	count := 0
	refusal := refuse(&count)
	refusal.Answer = fmt.Appendf(nil, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size))

	t.Run("to one who reads", func(t *testing.T) {
		c := call(t, newRefuser(t, refusal, time.Minute, time.Minute))
		for range 2 {
			if got, err := c.ask(plain); len(got) != len("503 ")+size || err != nil {
				t.Errorf("%d bytes came, %v", len(got), err)
			}
		}
	})
	t.Run("not to one who stands still", func(t *testing.T) {
		server := newRefuser(t, refusal, time.Minute, 50*time.Millisecond)
		c := call(t, server)
		if _, err := io.WriteString(c, plain); err != nil {
			t.Fatal(err)
		}
		<-server.closed
		if got, err := c.hear(); err == nil {
			t.Errorf("%d bytes came", len(got))
		}
	})
}

// BenchmarkRefusal is a request that is refused, with what it costs to ask.
func BenchmarkRefusal(b *testing.B) {
	count := 0
	c := call(b, newRefuser(b, refuse(&count), time.Minute, time.Minute))
	request := post("Authorization: Bearer "+strings.Repeat("0123456789abcdef", 3)+"\r\nAccept: application/json\r\nContent-Type: application/json\r\n", `{"title":"x"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.ask(request); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(count)/float64(b.N), "refused/op")
}
