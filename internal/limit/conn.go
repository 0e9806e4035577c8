package limit

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// maxPiece is what is written at once, so that a reader who is slow but there goes on.
const maxPiece = 64 << 10

// conn is a connection that counts, whose writes end when they stand still, and that
// refuses requests by itself.
type conn struct {
	net.Conn
	stall time.Duration
	extra bool
	leave func()
	until atomic.Int64 // the deadline of writing, in Unix ns; 0 is none

	// The rest belongs to net/http's goroutine of the connection, or to the one that
	// reads for it while a request is worked on.
	refusal *Refusal // nil is none
	socket  *socket  // to refuse by; nil where there is none
	stage   stage
	torn    bool // a request came in pieces, or together with another
	refused int  // since net/http last saw one
}

// maxRefused is how many requests in a row are refused without net/http, which takes a
// connection for idle meanwhile, and closes those that are for too long.
const maxRefused = 100

// stage is how far a connection is.
type stage int

const (
	fresh stage = iota // nothing has been read yet
	busy               // a request has been read, if only its beginning
	idle               // it has been answered
)

// Watch is an http.Server's ConnState: connections have to know when they are idle.
func Watch(c net.Conn, state http.ConnState) {
	if c, ok := c.(*conn); ok && state == http.StateIdle {
		c.stage = idle
	}
}

// Read reads everything but the requests that are refused. It refuses none once one has
// been torn: net/http may then hold the beginning of the next, and what is read be its
// middle, which can look like a request too.
func (c *conn) Read(p []byte) (int, error) {
	for c.refusal != nil && !c.torn {
		n, unsent, err := c.readNext(p)
		if unsent == nil {
			return n, err
		}
		if _, err := c.Write(unsent); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(p)
}

// readNext reads once, through the socket where that may end in a refusal. After one
// unsent is what has to be written.
func (c *conn) readNext(p []byte) (n int, unsent []byte, err error) {
	if c.socket != nil && c.stage == idle {
		return c.socket.read(p)
	}
	n, err = c.Conn.Read(p)
	if n > 0 && c.refuses(p[:n]) {
		return 0, c.refusal.Answer, nil
	}
	return n, nil, err
}

// refuses decides about what was just read.
func (c *conn) refuses(request []byte) bool {
	if c.stage != idle || c.refused == maxRefused || !c.refusal.Needed() || !c.refusal.fits(request) {
		c.torn = c.stage == busy || !whole(request)
		c.stage, c.refused = busy, 0
		return false
	}
	c.refused++
	c.refusal.Count()
	return true
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
