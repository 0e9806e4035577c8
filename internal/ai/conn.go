package ai

import (
	"bufio"
	"errors"
	"math"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

const (
	// maxInterim is how many answers may come before the real one, such as 100 and 103.
	maxInterim = 10
	// answerGrace is how long an answer is waited for when the request could not be
	// written to its end: the server may have refused it before.
	answerGrace = time.Second
	// writeGrace is how long a request that has its answer may take to be written.
	writeGrace = 50 * time.Millisecond
)

var (
	errHeadTooLong   = errors.New("the head of the answer is too long")
	errInterimAnswer = errors.New("too many interim answers")
)

// conn is a connection to a server of HTTP/1.1. It has one exchange at a time.
type conn struct {
	host string
	wire net.Conn
	in   *bufio.Reader
	// room is how much may still be read from wire.
	room   int64
	silent bool      // nothing of the present answer has come
	since  time.Time // when its last exchange ended
	// written gets why the present request could not be written, or nil.
	written chan error
}

func newConn(wire net.Conn, host string) *conn {
	c := &conn{host: host, wire: wire, written: make(chan error, 1)}
	c.in = bufio.NewReaderSize((*bounded)(c), connBuffer)
	return c
}

// bounded reads from a connection within its room.
type bounded conn

func (b *bounded) Read(p []byte) (int, error) {
	if b.room <= 0 {
		return 0, errHeadTooLong
	}
	n, err := b.wire.Read(p[:min(int64(len(p)), b.room)])
	b.room -= int64(n)
	b.silent = b.silent && n == 0
	return n, err
}

// send begins to write the request, with a buffer of writers. finish or abandon ends
// the exchange.
func (c *conn) send(req *http.Request, writers *sync.Pool) {
	c.room, c.silent = maxHead, true
	// A server may answer before it has read everything.
	go func() {
		out := writers.Get().(*bufio.Writer)
		out.Reset(c.wire)
		err := req.Write(out)
		if err == nil {
			err = out.Flush()
		}
		out.Reset(nil)
		writers.Put(out)
		if err != nil {
			_ = c.wire.SetReadDeadline(time.Now().Add(answerGrace))
		}
		c.written <- err
	}()
}

// receive reads the head of the answer to req.
func (c *conn) receive(req *http.Request) (*http.Response, error) {
	for range maxInterim {
		res, err := http.ReadResponse(c.in, req)
		if err != nil {
			return nil, err
		}
		if res.StatusCode >= 200 || res.StatusCode == http.StatusSwitchingProtocols {
			c.room = math.MaxInt64
			return res, nil
		}
	}
	return nil, errInterimAnswer
}

// finish ends an exchange whose answer was read to its end. It reports whether the
// connection is fit for another, and closes it if not.
func (c *conn) finish() bool {
	timer := time.NewTimer(writeGrace)
	defer timer.Stop()
	select {
	case err := <-c.written:
		if err == nil && c.in.Buffered() == 0 {
			return true
		}
		c.discard()
	case <-timer.C:
		_ = c.abandon() // the answer is whole
	}
	return false
}

// abandon closes the connection in the middle of an exchange. It returns why the
// request could not be written, nil where it was or might have been.
func (c *conn) abandon() error {
	c.discard()
	if err := <-c.written; !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// discard closes a connection without an exchange.
func (c *conn) discard() {
	_ = c.wire.Close() // nothing that matters is under way
}

// quiet reports whether an idle connection is still open and nothing has come: what
// comes without a request is no answer to the next one.
func (c *conn) quiet() bool {
	socket, ok := c.wire.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		_, err := syscall.Read(int(fd), make([]byte, 1))
		quiet = errors.Is(err, syscall.EAGAIN)
		return true
	})
	return err == nil && quiet
}
