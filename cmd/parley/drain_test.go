package main_test

import (
	"net/http"
	"syscall"
	"testing"
)

// TestReadinessGoesFirst stops a server with a drain delay of an hour.
func TestReadinessGoesFirst(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_DRAIN_DELAY=1h")
	ada := p.user("ada")
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	until(t, "it is not ready", func() bool { return p.ask("/readyz").status == http.StatusServiceUnavailable })
	if alive := p.ask("/healthz"); alive.status != http.StatusOK || !alive.last {
		t.Errorf("a new connection gets %+v", alive)
	}
	if _, err := ada.User(t.Context()); err != nil {
		t.Errorf("a request is no longer taken: %v", err)
	}

	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.over
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("after the second signal: %v", p.cmd.ProcessState)
	}
}
