package ai

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// closable is a connection that says when it was closed.
type closable struct {
	net.Conn
	closed *int
}

func (c closable) Close() error {
	*c.closed++
	return nil
}

func TestIdleConnectionsAreBoundedInNumberAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var idle idleConns
		closed := 0
		put := func(host string, n int) {
			for range n {
				idle.put(newConn(closable{closed: &closed}, host))
			}
		}
		check := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if closed != want {
				t.Errorf("%s: %d closed, want %d", when, closed, want)
			}
		}
		put("one", idlePerHost)
		put("two", 1)
		check("at the limit", 0)
		put("one", 1)
		check("over the limit", 1)
		if c := idle.take("one"); c == nil || idle.take("three") != nil {
			t.Error("not the right ones are kept")
		}
		time.Sleep(idleTime / 2)
		put("two", 1)
		time.Sleep(idleTime / 2)
		check("all but one and the one taken are old", 1+idlePerHost-1+1)
		if c := idle.take("two"); c == nil || idle.take("two") != nil || idle.take("one") != nil {
			t.Error("not the young one is kept")
		}
		put("two", 3)
		time.Sleep(idleTime)
		check("after a second time", 1+idlePerHost+3)
		put("two", 2)
		idle.closeAll()
		check("after closing all", 1+idlePerHost+5)
		if idle.take("two") != nil || idle.expiry != nil {
			t.Error("something is kept")
		}
	})
}
