package limit_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/limit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server that takes so many connections.
func serve(t *testing.T, most int, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Listener = limit.NewListener(server.Listener, most, time.Minute, nil)
	server.Config.ConnContext = limit.Mark
	return server
}

// connect opens a connection and asks for a page over it.
func connect(t *testing.T, server *httptest.Server) (net.Conn, string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: test\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return conn, string(body)
}

func tellExtra(w http.ResponseWriter, r *http.Request) {
	if limit.Extra(r.Context()) {
		io.WriteString(w, "extra")
		return
	}
	io.WriteString(w, "welcome")
}

func TestConnectionsOverTheLimitAreMarked(t *testing.T) {
	server := serve(t, 2, tellExtra)
	server.Start()
	defer server.Close()
	first, _ := connect(t, server)
	_, second := connect(t, server)
	over, third := connect(t, server)
	if second != "welcome" || third != "extra" {
		t.Errorf("the second gets %q, the third %q", second, third)
	}
	first.Close()
	over.Close()
	for begun := time.Now(); ; { // the server hears of it a little later
		conn, got := connect(t, server)
		conn.Close()
		if got == "welcome" {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("a place that became free is not given away")
		}
	}
}

func TestConnectionsOverTheLimitAreMarkedWithTLSToo(t *testing.T) {
	server := serve(t, 1, tellExtra)
	server.StartTLS()
	defer server.Close()
	ask := func() string {
		client := server.Client()
		client.Transport = client.Transport.(*http.Transport).Clone()
		defer t.Cleanup(client.CloseIdleConnections)
		response, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return string(body)
	}
	if first, second := ask(), ask(); first != "welcome" || second != "extra" {
		t.Errorf("got %q and %q", first, second)
	}
}

func TestTheListenerClosesThoughItIsFull(t *testing.T) {
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := limit.NewListener(inner, 1, time.Minute, nil)
	var taken []net.Conn
	defer func() {
		for _, conn := range taken {
			conn.Close()
		}
	}()
	for range 1 + limit.Spare {
		client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, client, conn)
	}
	ended := make(chan error)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// pair is the two ends of a connection, the server's first.
func pair(t *testing.T, stall time.Duration) (*net.TCPConn, net.Conn) {
	t.Helper()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := limit.NewListener(inner, 1, stall, nil)
	defer l.Close()
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client.(*net.TCPConn), server
}

func TestAReaderWhoStandsStillIsCutOff(t *testing.T) {
	t.Parallel()
	_, server := pair(t, 50*time.Millisecond)
	sent, err := server.Write(make([]byte, 64<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || sent == 64<<20 {
		t.Errorf("%d bytes were sent, %v", sent, err)
	}
}

func TestAReaderWhoIsSlowGetsEverything(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	client, server := pair(t, time.Minute)
	if err := server.SetWriteDeadline(time.Now().Add(time.Millisecond)); err != nil { // a handler's own, for an earlier answer
		t.Fatal(err)
	}
	read := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, client)
		read <- n
	}()
	if n, err := server.Write([]byte(strings.Repeat("x", size))); n != size || err != nil {
		t.Errorf("%d bytes were sent, %v", n, err)
	}
	if err := server.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Error(err)
	}
	if n := <-read; n != size {
		t.Errorf("%d bytes came", n)
	}
}
