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

// readyTimeout bounds the check. The server itself waits up to 2 s for its database.
const readyTimeout = 5 * time.Second

// checkReady checks whether the server with these settings, on this machine, is ready.
func checkReady(ctx context.Context, settings *config.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	address := settings.HTTP.Addr // an empty host means this machine
	scheme := "http"
	if settings.HTTP.TLSCert != "" {
		scheme = "https"
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
		// The certificate is for the server's public name. The request holds no secret.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://localhost/readyz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("no server at %s: %w", address, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not ready: %s", address, response.Status)
	}
	fmt.Println("ready")
	return nil
}
