package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"parley/internal/config"
)

// readyTime is how long a server may take to answer; it waits 2 s for its database.
const readyTime = 5 * time.Second

// askReady asks the server that has these settings, on this machine, whether it is ready.
func askReady(ctx context.Context, settings *config.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	address := settings.HTTP.Addr // where it serves every network, dialing means this machine
	scheme := "http"
	if settings.HTTP.TLSCert != "" {
		scheme = "https"
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
		// The certificate is for the server's name elsewhere, and nothing secret is said.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://localhost/readyz", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("no server at %s: %w", address, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: %s", address, answer.Status)
	}
	fmt.Println("ready")
	return nil
}
