package limit_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/limit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server with a limit on connections.
func serve(t *testing.T, most int, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Listener = limit.NewListener(server.Listener, most)
	server.Config.ConnContext = limit.ConnContext
	return server
}

// connect opens a connection and makes a request over it.
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
	for begun := time.Now(); ; { // the server notices a little later
		conn, got := connect(t, server)
		conn.Close()
		if got == "welcome" {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("a slot that became free is not reused")
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
	l := limit.NewListener(inner, 1)
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
