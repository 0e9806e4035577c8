package ai

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// direct is an http.RoundTripper for HTTP/1.1 without TLS. An open answer costs no
// goroutine: whoever reads its body reads from the connection. It is safe for use from
// several goroutines; an answer's body is not.
type direct struct {
	dial    dialer
	idle    idleConns
	writers sync.Pool // of *bufio.Writer
}

func newDirect(dial dialer) *direct {
	return &direct{
		dial:    dial,
		writers: sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 4*connBuffer) }},
	}
}

// CloseIdleConnections closes the connections that no request uses.
func (d *direct) CloseIdleConnections() { d.idle.closeAll() }

// RoundTrip implements http.RoundTripper. Where the request's context ends, so does the
// connection, and the error is the context's cause.
//
// A server may close an idle connection just when it is used again. So a request that
// got nothing on such a one is sent once more, on a new one.
func (d *direct) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	host := net.JoinHostPort(req.URL.Hostname(), cmp.Or(req.URL.Port(), "80"))
	if c := d.idle.take(host); c != nil {
		res, err := d.exchange(c, req)
		if err == nil || !c.silent || ctx.Err() != nil {
			return res, err
		}
		again, ok := rewound(req)
		if !ok {
			return nil, err
		}
		req = again
	}
	wire, err := d.dial(ctx, "tcp", host)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // nothing was read from it
		}
		return nil, cause(ctx, err)
	}
	return d.exchange(newConn(wire, host), req)
}

// rewound is a copy of req with its body from the beginning, if that can be had.
func rewound(req *http.Request) (*http.Request, bool) {
	again := req.WithContext(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return again, true
	}
	if req.GetBody == nil {
		return nil, false
	}
	body, err := req.GetBody()
	again.Body = body
	return again, err == nil
}

// exchange sends the request and reads the head of its answer. The connection belongs
// to the answer's body from then on.
func (d *direct) exchange(c *conn, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	stop := context.AfterFunc(ctx, c.discard)
	c.send(req, &d.writers)
	res, err := c.receive(req)
	if err != nil {
		stop()
		return nil, cause(ctx, cmp.Or(c.abandon(), err))
	}
	body := &directBody{
		from: res.Body, ctx: ctx, stop: stop, conn: c, idle: &d.idle,
		keep: !res.Close && !req.Close && res.StatusCode != http.StatusSwitchingProtocols,
	}
	if res.Body == http.NoBody {
		body.end(true)
		return res, nil
	}
	res.Body = body
	return res, nil
}

// directBody is the body of an answer, and has its connection until it ends.
type directBody struct {
	from io.Reader
	ctx  context.Context
	stop func() bool // the closing of the connection with ctx
	conn *conn       // nil once the body has ended
	keep bool        // the connection may be used again
	idle *idleConns
}

func (b *directBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		b.end(true)
		return n, err
	}
	b.end(false)
	return n, cause(b.ctx, err)
}

// Close closes the connection of a body that was not read to its end.
func (b *directBody) Close() error {
	b.end(false)
	return nil
}

// end lets go of the connection. One whose answer was read to its end is kept for the
// next request if it is fit for that.
func (b *directBody) end(whole bool) {
	c := b.conn
	if c == nil {
		return
	}
	b.conn = nil
	if !b.stop() || !whole || !b.keep {
		_ = c.abandon() // the answer counts, not how its request was written
		return
	}
	if c.finish() {
		b.idle.put(c)
	}
}
