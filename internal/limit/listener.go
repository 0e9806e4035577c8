package limit

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// Spare is how many connections over the limit are accepted, to refuse their requests with an error and to serve health
// checks. Further connections wait in the kernel.
const Spare = 64

// Listener limits the number of open connections. Those over the limit are marked; see Extra.
type Listener struct {
	net.Listener
	limit  int64
	open   atomic.Int64
	slots  chan struct{}
	closed chan struct{}
	close  func() error
}

// NewListener limits the connections of inner.
func NewListener(inner net.Listener, limit int) *Listener {
	l := &Listener{
		Listener: inner,
		limit:    int64(limit),
		slots:    make(chan struct{}, limit+Spare),
		closed:   make(chan struct{}),
	}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return inner.Close()
	})
	return l
}

// Accept waits for a free slot, then for a connection.
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
	return &conn{
		Conn:  inner,
		extra: l.open.Add(1) > l.limit,
		release: sync.OnceFunc(func() {
			l.open.Add(-1)
			<-l.slots
		}),
	}, nil
}

// Close stops accepting. Open connections stay open.
func (l *Listener) Close() error { return l.close() }

// conn is a connection that counts until it is closed.
type conn struct {
	net.Conn
	extra   bool
	release func()
}

func (c *conn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// CloseWrite is called by net/http. Then the last response arrives before the connection is closed.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type contextKey struct{}

// ConnContext is for http.Server.ConnContext. It marks the requests of connections over the limit.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
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
