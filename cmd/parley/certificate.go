package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateLook is how often the files of a certificate are looked at, at most.
const certificateLook = time.Minute

// certificate is one in files, which may be renewed while it is in use.
type certificate struct {
	certPath, keyPath string
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex
	looked  time.Time
	changed [2]time.Time // of certificate and key
	current *tls.Certificate
}

// security is how connections are secured, nil where they are not.
func (s *server) security() (*tls.Config, error) {
	if s.settings.HTTP.TLSCert == "" {
		return nil, nil
	}
	c, err := newCertificate(s.settings.HTTP.TLSCert, s.settings.HTTP.TLSKey, s.log, time.Now)
	if err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}, nil
}

// newCertificate reads a certificate and its key.
func newCertificate(certPath, keyPath string, log *slog.Logger, now func() time.Time) (*certificate, error) {
	c := &certificate{certPath: certPath, keyPath: keyPath, log: log, now: now, looked: now()}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("PARLEY_TLS_CERT and PARLEY_TLS_KEY: %w", err)
	}
	return c, nil
}

// get is the certificate for a new connection. Where the files can't be read or do not
// fit together, as in the middle of a renewal, the one before stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.looked) >= certificateLook {
		c.looked = now
		if err := c.read(); err != nil {
			c.log.Error("the renewed certificate can't be used", "error", err)
		}
	}
	return c.current, nil
}

// read takes the certificate from its files if they have changed.
func (c *certificate) read() error {
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
