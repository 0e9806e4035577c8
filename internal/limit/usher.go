package limit

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// Usher lets requests go on in groups, and before each has Go's scheduler look at the
// network. By itself it does so where it has nothing else to do, which under load is
// never, and otherwise every 10 ms or so for at most 128 connections: the line is then
// in the kernel, where nobody sees how long it is. A nil Usher lets everybody go on.
type Usher struct {
	group int
	in    *os.File // of a pipe: the network too, for the scheduler
	out   *os.File
	raw   syscall.RawConn

	mu      sync.Mutex
	free    int         // places left in the present group
	forming bool        // somebody forms the next group
	line    []chan bool // who waits for a group; true is to form the next one
}

// NewUsher returns an usher that lets so many go on at once.
func NewUsher(group int) (*Usher, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("usher: %w", err)
	}
	raw, err := in.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("usher: %w", errors.Join(err, in.Close(), out.Close()))
	}
	return &Usher{group: group, in: in, out: out, raw: raw, free: group}, nil
}

// Close frees what the usher holds. Whoever lines up afterwards waits no longer.
func (u *Usher) Close() error { return errors.Join(u.in.Close(), u.out.Close()) }

// LineUp waits until it is the caller's turn, first come first served. The first for
// whom the group has no place forms the next one.
func (u *Usher) LineUp() {
	if u == nil {
		return
	}
	u.mu.Lock()
	if u.free > 0 {
		u.free--
		u.mu.Unlock()
		return
	}
	forms := !u.forming
	u.forming = true
	if !forms {
		turn := make(chan bool, 1)
		u.line = append(u.line, turn)
		u.mu.Unlock()
		forms = <-turn
	} else {
		u.mu.Unlock()
	}
	if forms {
		u.letTheNetworkGoFirst()
		u.formGroup()
	}
}

// formGroup lets those go on who are first in line. The caller is one of them.
func (u *Usher) formGroup() {
	u.mu.Lock()
	defer u.mu.Unlock()
	others := min(u.group-1, len(u.line))
	for _, turn := range u.line[:others] {
		turn <- false
	}
	u.free = u.group - 1 - others
	u.line = u.line[others:]
	u.forming = len(u.line) > 0
	if u.forming {
		u.line[0] <- true
		u.line = u.line[1:]
	}
}

// letTheNetworkGoFirst waits for a byte that it sends itself: it comes when the
// scheduler looks at the network, and with everything else that has come.
func (u *Usher) letTheNetworkGoFirst() {
	sent := false
	_ = u.raw.Read(func(in uintptr) bool { // fails only where the usher is closed
		var b [1]byte
		if !sent {
			sent = true
			_, err := u.out.Write(b[:])
			return err != nil
		}
		_, err := syscall.Read(int(in), b[:])
		return !errors.Is(err, syscall.EAGAIN)
	})
}
