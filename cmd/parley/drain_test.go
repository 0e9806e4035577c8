package main_test

import (
	"net/http"
	"syscall"
	"testing"
)

// get asks a server over a connection of its own.
func get(t *testing.T, url string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	must(t, err)
	must(t, response.Body.Close())
	return response
}

// TestReadinessGoesFirst asks a server to end that may take an hour to do so.
func TestReadinessGoesFirst(t *testing.T) {
	t.Parallel()
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_DRAIN_DELAY=1h")
	ada := p.user("ada")
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	for get(t, p.url+"/readyz").StatusCode != http.StatusServiceUnavailable {
		continue
	}
	alive := get(t, p.url+"/healthz")
	if alive.StatusCode != http.StatusOK || !alive.Close {
		t.Errorf("a new connection gets HTTP %d, kept alive: %t", alive.StatusCode, !alive.Close)
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
