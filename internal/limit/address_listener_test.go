package limit

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

// caller is a connection from an address.
type caller struct {
	net.Conn
	address string
	closed  bool
}

func (c *caller) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(c.address), 1234))
}

func (c *caller) Close() error {
	c.closed = true
	return nil
}

// callers is a listener with connections that have arrived.
type callers struct {
	net.Listener
	waiting []*caller
}

func (l *callers) Accept() (net.Conn, error) {
	if len(l.waiting) == 0 {
		return nil, net.ErrClosed
	}
	next := l.waiting[0]
	l.waiting = l.waiting[1:]
	return next, nil
}

func TestTheConnectionsOfAnAddressAreLimited(t *testing.T) {
	inner := &callers{}
	l := NewAddressListener(inner, 2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	// accept reports whether a connection is accepted, and returns it.
	accept := func(address string) (net.Conn, bool) {
		t.Helper()
		c := &caller{address: address}
		inner.waiting = append(inner.waiting, c)
		conn, err := l.Accept()
		if err != nil && !errors.Is(err, net.ErrClosed) || (err != nil) != c.closed {
			t.Errorf("%s: %v, closed: %t", address, err, c.closed)
		}
		return conn, err == nil
	}
	var first net.Conn
	for i, test := range []struct {
		address string
		want    bool
	}{
		{"192.0.2.1", true},
		{"192.0.2.1", true},
		{"192.0.2.1", false},
		{"::ffff:192.0.2.1", false},
		{"192.0.2.2", true},
		{"2001:db8::1", true},
		{"2001:db8::2", true},
		{"2001:db8::3:3", false},
		{"2001:db8:0:1::1", true},
		{"10.1.1.1", true},
		{"10.1.1.1", true},
		{"::ffff:10.1.1.1", true},
	} {
		conn, got := accept(test.address)
		if got != test.want {
			t.Errorf("%d: %s is accepted: %t", i, test.address, got)
		}
		if i == 0 {
			first = conn
		}
	}
	for range 2 { // counts once
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, again := accept("192.0.2.1"); !again {
		t.Error("a connection that was closed still counts")
	}
	if _, again := accept("192.0.2.1"); again {
		t.Error("a connection that was closed twice counts twice")
	}
}
