package limit

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// AddressListener limits the number of open connections of each address. A /64 of IPv6 counts as one address. Further
// connections are closed at once.
type AddressListener struct {
	net.Listener
	open   *PerKey[netip.Addr]
	exempt []netip.Prefix
}

// NewAddressListener limits the connections of inner, except those from the exempt networks.
func NewAddressListener(inner net.Listener, limit int, exempt []netip.Prefix) *AddressListener {
	return &AddressListener{Listener: inner, open: NewPerKey[netip.Addr](limit), exempt: exempt}
}

// Accept waits for a connection of an address that may have one more.
func (l *AddressListener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := remoteAddress(inner)
		if slices.ContainsFunc(l.exempt, func(p netip.Prefix) bool { return p.Contains(address) }) {
			return inner, nil
		}
		key := addressKey(address)
		if l.open.TryAcquire(key) {
			return &conn{Conn: inner, release: sync.OnceFunc(func() { l.open.Release(key) })}, nil
		}
		_ = inner.Close() // nothing was sent
	}
}

// remoteAddress returns the zero address for a connection without one, such as a Unix socket.
func remoteAddress(c net.Conn) netip.Addr {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

// addressKey returns an IPv4 address itself, or the first address of an IPv6 /64.
func addressKey(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	prefix, _ := a.Prefix(64)
	return prefix.Addr()
}
