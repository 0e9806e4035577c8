package db

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// setUserTimeout makes the kernel close a TCP connection if the peer is silent.
func setUserTimeout(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil // a Unix socket
	}
	var err error
	controlErr := conn.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	})
	if controlErr != nil {
		return controlErr
	}
	return err
}
