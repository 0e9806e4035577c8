package limit

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
// Extra. A connection whose reader stands still is cut off, and requests that there is
// no room for are refused.
type Listener struct {
	net.Listener
	most    int64
	open    atomic.Int64
	slots   chan struct{}
	closed  chan struct{}
	close   func() error
	stall   time.Duration
	refusal *Refusal
}

// NewListener bounds the connections of inner. A reader may take between stall and
// twice as long for each piece of what is written to it. Without a refusal all requests
// reach the http.Server; with one, it needs Watch.
func NewListener(inner net.Listener, most int, stall time.Duration, refusal *Refusal) *Listener {
	l := &Listener{Listener: inner, most: int64(most), slots: make(chan struct{}, most+Spare), closed: make(chan struct{}), stall: stall, refusal: refusal}
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
	c := &conn{Conn: inner, stall: l.stall, refusal: l.refusal, extra: l.open.Add(1) > l.most}
	switch {
	case c.extra:
		c.refusal = nil // their answer is the last
	case c.refusal != nil:
		c.socket = newSocket(inner, c.refuses, c.refusal.Answer)
	}
	c.leave = sync.OnceFunc(func() {
		l.open.Add(-1)
		<-l.slots
	})
	return c, nil
}

// Close stops accepting. Connections stay.
func (l *Listener) Close() error { return l.close() }

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
