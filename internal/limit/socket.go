package limit

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// socket is a connection's descriptor. Through it a request that is refused costs little
// more than the system calls: net.Conn has locks and deadlines of its own for each of
// them, which thousands of connections leave in no processor's cache.
type socket struct {
	raw    syscall.RawConn
	try    func(fd uintptr) bool // attempt; to make it for each read would allocate
	refuse func(request []byte) bool
	answer []byte

	// Of the read under way:
	into   []byte
	n      int
	err    error
	unsent []byte // of the answer, for which there was no room
}

// newSocket returns the socket of conn, nil where it has none. What refuse says yes to
// gets the answer.
func newSocket(conn net.Conn, refuse func(request []byte) bool, answer []byte) *socket {
	file, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil // it is closed, as its first read will say
	}
	s := &socket{raw: raw, refuse: refuse, answer: answer}
	s.try = s.attempt
	return s
}

// read reads the next that is not refused. Where it returns neither that nor an error,
// the reader takes its answers too slowly, and unsent is still to be written.
func (s *socket) read(p []byte) (n int, unsent []byte, err error) {
	s.into, s.n, s.err, s.unsent = p, 0, nil, nil
	err = s.raw.Read(s.try)
	s.into = nil
	if err == nil {
		err = s.err
	}
	return s.n, s.unsent, err
}

// attempt reports whether the read is over; if not, there is nothing to read yet.
func (s *socket) attempt(fd uintptr) bool {
	for {
		n, err := syscall.Read(int(fd), s.into)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return false
		case err != nil:
			s.err = os.NewSyscallError("read", err)
			return true
		case n == 0:
			s.err = io.EOF
			return true
		case !s.refuse(s.into[:n]):
			s.n = n
			return true
		}
		sent, _ := syscall.Write(int(fd), s.answer) // what went wrong the next write will say
		if sent < len(s.answer) {
			s.unsent = s.answer[max(sent, 0):]
			return true
		}
	}
}
