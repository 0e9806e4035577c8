package api_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"parley/client"
)

// overHTTP2 reads a reply over HTTP/2.
func (w *world) overHTTP2(c *client.Client, path string) *wireStream {
	w.Helper()
	server := httptest.NewUnstartedServer(w.app.Handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	w.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, server.URL+path, nil)
	w.must(err)
	request.Header.Set("Authorization", "Bearer "+c.Token())
	res, err := server.Client().Do(request)
	w.must(err)
	w.Cleanup(func() { res.Body.Close() })
	if res.ProtoMajor != 2 {
		w.Fatalf("it is %s", res.Proto)
	}
	return &wireStream{w: w, res: res, lines: bufio.NewReader(res.Body)}
}

// raw sends a request unchanged and returns the connection and a reader of the response.
func (w *world) raw(request string) (net.Conn, *bufio.Reader) {
	w.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.Context(), "tcp", strings.TrimPrefix(w.URL, "http://"))
	w.must(err)
	w.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, request)
	w.must(err)
	return conn, bufio.NewReader(conn)
}

func TestAStreamIsTheSameOverEveryHTTP(t *testing.T) {
	each(t, func(w *world) {
		c := w.user("ada")
		reply := w.say(c, w.session(c, ""), "hello").AIResponse.ID
		path := "/api/chat/stream/" + reply
		want := w.follow(c, reply, "").rest()
		if len(want) != 3 {
			w.Fatalf("events: %v", want)
		}
		if got := w.overHTTP2(c, path).rest(); !slices.Equal(got, want) {
			w.Errorf("over HTTP/2: %v, want %v", got, want)
		}
		_, answer := w.raw(fmt.Sprintf("GET %s HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n", path, c.Token()))
		res, err := http.ReadResponse(answer, nil)
		w.must(err)
		defer res.Body.Close()
		old := &wireStream{w: w, res: res, lines: bufio.NewReader(res.Body)}
		if got := old.rest(); !slices.Equal(got, want) || len(res.TransferEncoding) > 0 {
			w.Errorf("over HTTP/1.0: %v in %v, want %v", got, res.TransferEncoding, want)
		}
	})
}

// TestAStreamEndsItsAnswerAndIsLogged sends a second request before the first response has ended. Both streams use
// the same connection.
func TestAStreamEndsItsAnswerAndIsLogged(t *testing.T) {
	each(t, func(w *world) {
		c := w.user("ada")
		reply := w.say(c, w.session(c, ""), "hello").AIResponse.ID
		_, in := w.raw(strings.Repeat(fmt.Sprintf(
			"GET /api/chat/stream/%s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n\r\n", reply, c.Token()), 2))
		for range 2 {
			res, err := http.ReadResponse(in, nil)
			w.must(err)
			defer res.Body.Close()
			stream := &wireStream{w: w, res: res, lines: bufio.NewReader(res.Body)}
			if got := names(stream.rest()); !slices.Equal(got, []string{"start", "delta", "done"}) || res.Close {
				w.Errorf("got %v, close: %t", got, res.Close)
			}
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store, no-transform",
			} {
				if got := res.Header.Get(name); got != want {
					w.Errorf("%s is %q", name, got)
				}
			}
			if res.Header.Get("X-Request-Id") == "" {
				w.Error("the response has no request id")
			}
		}
		w.eventually("the requests are logged", func() bool {
			return strings.Count(w.Log.String(), "method=GET route=/api/chat/stream/{message_id} status=200") == 2
		})
	})
}

// TestAnHTTP2ReaderWhoTakesNothingIsCutOff has a client with a flow-control window of zero.
func TestAnHTTP2ReaderWhoTakesNothingIsCutOff(t *testing.T) {
	eachWith(t, func(w *world) { w.Limits.MaxWrite = 50 * time.Millisecond }, func(w *world) {
		server := httptest.NewUnstartedServer(w.app.Handler)
		server.EnableHTTP2 = true
		server.StartTLS()
		defer server.Close()
		trust := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		dialer := tls.Dialer{Config: &tls.Config{RootCAs: trust, ServerName: "example.com", NextProtos: []string{"h2"}}}
		conn, err := dialer.DialContext(w.Context(), "tcp", server.Listener.Addr().String())
		w.must(err)
		defer conn.Close()
		_, err = io.WriteString(conn, http2.ClientPreface)
		w.must(err)
		frames := http2.NewFramer(conn, conn)
		w.must(frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
		var head bytes.Buffer
		encoder := hpack.NewEncoder(&head)
		for _, field := range [][2]string{
			{":method", "GET"},
			{":scheme", "https"},
			{":authority", "example.com"},
			{":path", "/healthz"},
		} {
			w.must(encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
		}
		w.must(frames.WriteHeaders(http2.HeadersFrameParam{
			StreamID: 1, BlockFragment: head.Bytes(), EndStream: true,
			EndHeaders: true,
		}))
		w.must(conn.SetReadDeadline(time.Now().Add(patience)))
		for {
			frame, err := frames.ReadFrame()
			w.must(err)
			if frame.Header().Type == http2.FrameRSTStream {
				return
			}
		}
	})
}
