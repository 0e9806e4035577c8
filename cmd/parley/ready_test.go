package main_test

import (
	"net"
	"strings"
	"syscall"
	"testing"
)

// TestReadyAsksTheServer runs the health check of a container, with the settings of the server.
func TestReadyAsksTheServer(t *testing.T) {
	t.Parallel()
	certPath, keyPath, _ := borrowedCertificate(t)
	for name, settings := range map[string][]string{
		"http":  nil,
		"https": {"PARLEY_TLS_CERT=" + certPath, "PARLEY_TLS_KEY=" + keyPath},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DRAIN_DELAY=1h")...)
			_, address, _ := strings.Cut(p.url, "://")
			_, port, err := net.SplitHostPort(address)
			must(t, err)
			for _, addr := range []string{address, ":" + port, "0.0.0.0:" + port} {
				if out := works(t, append(settings, "PARLEY_ADDR="+addr), "ready"); out != "ready\n" {
					t.Errorf("at %s it says %q", addr, out)
				}
			}
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
			until(t, "it is not ready", func() bool {
				_, stderr, err := operate(t, append(settings, "PARLEY_ADDR="+address), "ready")
				return err != nil && strings.Contains(stderr, "is not ready: 503")
			})
			p.kill()
			fails(t, append(settings, "PARLEY_ADDR="+address), "no server at "+address, "ready")
		})
	}
}
