package testdb

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy forwards connections to PostgreSQL. It can go silent like a vanished host: it closes nothing, and delivers
// nothing.
type Proxy struct {
	// URL is the address of the database through the proxy.
	URL string

	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	silent bool
	closed bool
	links  map[*link]bool
}

// link is a connection through the proxy.
type link struct {
	mu     sync.Mutex
	silent bool // for good: bytes are missing in it
	ends   []net.Conn
}

// NewProxy starts a proxy for the database at a URL. It ends with the test.
func NewProxy(t testing.TB, databaseURL string) *Proxy {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatalf("the URL of the database: %v", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	p := &Proxy{target: address.Host, listener: listener, links: map[*link]bool{}}
	address.Host = listener.Addr().String()
	p.URL = address.String()
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Silence makes all connections silent for good, and those that are opened until Restore.
func (p *Proxy) Silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = true
	for l := range p.links {
		l.mu.Lock()
		l.silent = true
		l.mu.Unlock()
	}
}

// Restore lets new connections through.
func (p *Proxy) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = false
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.running.Go(func() { p.serve(conn) })
	}
}

// serve forwards a connection until one of its ends is closed.
func (p *Proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.target) //nolint:noctx // it is on this machine
	if err != nil {
		_ = client.Close()
		return
	}
	l, ok := p.add(client, server)
	defer l.close()
	if !ok {
		return
	}
	defer p.remove(l)
	var both sync.WaitGroup
	both.Go(func() { l.forward(server, client) })
	both.Go(func() { l.forward(client, server) })
	both.Wait()
}

// add returns false if the proxy is closed.
func (p *Proxy) add(ends ...net.Conn) (*link, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &link{silent: p.silent, ends: ends}
	if !p.closed {
		p.links[l] = true
	}
	return l, !p.closed
}

func (p *Proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

func (p *Proxy) close() {
	_ = p.listener.Close() // it has no data
	p.mu.Lock()
	p.closed = true
	for l := range p.links {
		l.close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// forward copies from one end to the other. Once the link is silent it reads and delivers nothing, not even the end.
func (l *link) forward(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		silent := l.silent
		if !silent && n > 0 {
			_, _ = to.Write(buffer[:n]) // reading fails next
		}
		l.mu.Unlock()
		if err != nil {
			if !silent {
				l.close()
			}
			return
		}
	}
}

func (l *link) close() {
	for _, end := range l.ends {
		_ = end.Close() // nothing is lost: both ends are in this test
	}
}
