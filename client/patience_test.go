package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
)

// TestOnlyUploadsWaitForLong has a server that responds after ten minutes, and the HTTP clients that New makes.
func TestOnlyUploadsWaitForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New("http://parley").WithToken("secret")
		slowServer(t, c, 10*time.Minute)
		begun := time.Now()
		if _, err := c.Upload(t.Context(), "s1", "scan.pdf", strings.NewReader("pages")); err != nil {
			t.Errorf("the upload: %v", err)
		}
		if took := time.Since(begun); took != 10*time.Minute {
			t.Errorf("the upload took %v", took)
		}
		begun = time.Now()
		_, err := c.UploadWithProgress(t.Context(), "s1", "scan.pdf", strings.NewReader(""), func(parley.UploadProgress) {})
		if took := time.Since(begun); err == nil || took != 10*time.Minute { // the server sends no events
			t.Errorf("the upload with progress took %v: %v", took, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if _, err := c.Upload(ctx, "s1", "scan.pdf", strings.NewReader("")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the upload with a deadline: %v", err)
		}
		begun = time.Now()
		if _, err := c.Files(t.Context(), "s1"); err == nil || time.Since(begun) != time.Minute {
			t.Errorf("another call ended after %v: %v", time.Since(begun), err)
		}
	})
}

// slowServer connects the transports of a client to a server that responds after a time.
func slowServer(t *testing.T, c *Client, after time.Duration) {
	t.Helper()
	accepted := make(pipeListener)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(after):
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, `{"error":0,"body":{},"message":"","success":true}`)
	})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(accepted) // it returns when the server is closed
	}()
	for _, h := range []*http.Client{c.http, c.uploads} {
		transport, ok := h.Transport.(*http.Transport)
		if !ok {
			t.Fatalf("the transport is %T", h.Transport)
		}
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			accepted <- theirs
			return ours, nil
		}
		t.Cleanup(transport.CloseIdleConnections)
	}
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
}

// pipeListener accepts the connections that it gets.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	conn, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l pipeListener) Close() error {
	close(l)
	return nil
}

func (pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
