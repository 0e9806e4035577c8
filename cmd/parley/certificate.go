package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateCheckInterval is the shortest time between two checks of the files.
const certificateCheckInterval = time.Minute

// certificate is a TLS certificate. It reloads its files when they change.
type certificate struct {
	certPath, keyPath string
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex
	checked time.Time
	changed [2]time.Time // of the certificate and the key
	current *tls.Certificate
}

// tlsConfig returns nil if the server does not use TLS.
func (s *server) tlsConfig() (*tls.Config, error) {
	if s.settings.HTTP.TLSCert == "" {
		return nil, nil
	}
	c, err := newCertificate(s.settings.HTTP.TLSCert, s.settings.HTTP.TLSKey, s.log, time.Now)
	if err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}, nil
}

// newCertificate loads a certificate and its key.
func newCertificate(certPath, keyPath string, log *slog.Logger, now func() time.Time) (*certificate, error) {
	c := &certificate{certPath: certPath, keyPath: keyPath, log: log, now: now, checked: now()}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("PARLEY_TLS_CERT and PARLEY_TLS_KEY: %w", err)
	}
	return c, nil
}

// get returns the certificate for a new connection. If the files can't be read or don't match, as during a renewal,
// get keeps the previous certificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= certificateCheckInterval {
		c.checked = now
		if err := c.load(); err != nil {
			c.log.Error("reload the certificate", "error", err)
		}
	}
	return c.current, nil
}

// load reads the certificate if one of its files has changed.
func (c *certificate) load() error {
	var changed [2]time.Time
	for i, path := range []string{c.certPath, c.keyPath} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		changed[i] = info.ModTime()
	}
	if changed == c.changed {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.certPath, c.keyPath)
	if err != nil {
		return err
	}
	c.current, c.changed = &pair, changed
	return nil
}
