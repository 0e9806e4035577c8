package db

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/testdb"
)

// TestConnectionsToPostgreSQLNoticeSilence checks the options of a connection. The kernel acts
// on them only if a host is gone, which a test on one machine can't show.
func TestConnectionsToPostgreSQLNoticeSilence(t *testing.T) {
	w := newWorld(t, testdb.Postgres(t))
	w.must(onConnectionOf(w, func(conn net.Conn) {
		raw, err := conn.(*net.TCPConn).SyscallConn()
		w.must(err)
		for option, want := range map[int]int{
			unix.TCP_USER_TIMEOUT: 10_000, unix.TCP_KEEPIDLE: 5, unix.TCP_KEEPINTVL: 5, unix.TCP_KEEPCNT: 2,
		} {
			w.must(raw.Control(func(fd uintptr) {
				if got, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option); err != nil || got != want {
					t.Errorf("option %d is %d, want %d (%v)", option, got, want, err)
				}
			}))
		}
	}))
}

func onConnectionOf(w *world, do func(net.Conn)) error {
	conn, err := w.server().pool.Conn(w.t.Context())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		do(c.(*connection).Conn.Conn().PgConn().Conn())
		return nil
	})
}
