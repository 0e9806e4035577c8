package load

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Spare is how many connections more than allowed are taken to be told so, and for
// whoever asks after the server's health. Beyond them the kernel lets callers wait.
const Spare = 64

// Listener takes so many connections at once and a few more, which are marked; see
// Extra. A connection whose reader stands still is cut off.
type Listener struct {
	net.Listener
	most   int64
	open   atomic.Int64
	slots  chan struct{}
	closed chan struct{}
	close  func() error
	stall  time.Duration
}

// NewListener bounds the connections of inner. A reader may take between stall and
// twice as long for each piece of what is written to it.
func NewListener(inner net.Listener, most int, stall time.Duration) *Listener {
	l := &Listener{Listener: inner, most: int64(most), slots: make(chan struct{}, most+Spare), closed: make(chan struct{}), stall: stall}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return inner.Close()
	})
	return l
}

// Accept waits for a free place and then for a connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	inner, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	c := &conn{Conn: inner, stall: l.stall, extra: l.open.Add(1) > l.most}
	c.leave = sync.OnceFunc(func() {
		l.open.Add(-1)
		<-l.slots
	})
	return c, nil
}

// Close stops accepting. Connections stay.
func (l *Listener) Close() error { return l.close() }

// maxPiece is what is written at once, so that a reader who is slow but there goes on.
const maxPiece = 64 << 10

// conn is a connection that counts, and whose writes end when they stand still.
type conn struct {
	net.Conn
	stall time.Duration
	extra bool
	leave func()
	until atomic.Int64 // the deadline of writing, in Unix ns; 0 is none
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite is asked for by net/http, so that a last answer arrives.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *conn) Write(p []byte) (n int, err error) {
	for first := true; first || len(p) > 0; first = false {
		if err := c.extend(); err != nil {
			return n, err
		}
		piece := p[:min(len(p), maxPiece)]
		written, err := c.Conn.Write(piece)
		n += written
		if err != nil {
			return n, err
		}
		p = p[len(piece):]
	}
	return n, nil
}

// extend puts the deadline off where it is near: setting it costs more than looking.
func (c *conn) extend() error {
	now := time.Now()
	if time.Duration(c.until.Load()-now.UnixNano()) >= c.stall {
		return nil
	}
	return c.SetWriteDeadline(now.Add(2 * c.stall))
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.note(t)
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	c.note(t)
	return c.Conn.SetDeadline(t)
}

func (c *conn) note(t time.Time) {
	if t.IsZero() {
		c.until.Store(0)
		return
	}
	c.until.Store(t.UnixNano())
}

type contextKey struct{}

// Mark is an http.Server's ConnContext: it marks the context of a connection over the
// limit.
func Mark(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = secure.NetConn()
	}
	if c, ok := c.(*conn); ok && c.extra {
		return context.WithValue(ctx, contextKey{}, true)
	}
	return ctx
}

// Extra reports whether a request came over a connection over the limit.
func Extra(ctx context.Context) bool { return ctx.Value(contextKey{}) != nil }
