package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// renew writes a key and a certificate with the given serial number. It sets the files' modification time to at.
func renew(t *testing.T, dir string, number int64, at time.Time) (certPath, keyPath string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, certErr := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	secret, keyErr := x509.MarshalPKCS8PrivateKey(key)
	if err := errors.Join(certErr, keyErr); err != nil {
		t.Fatal(err)
	}
	certPath, keyPath = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certPath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), at)
	write(t, keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), at)
	return certPath, keyPath
}

func write(t *testing.T, path string, content []byte, at time.Time) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chtimes(path, at, at)); err != nil {
		t.Fatal(err)
	}
}

// shownBy returns the serial number of the certificate that a client gets.
func shownBy(t *testing.T, c *certificate) int64 {
	t.Helper()
	near, far := net.Pipe()
	server := tls.Server(far, &tls.Config{GetCertificate: c.get})
	client := tls.Client(near, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // it is its own authority
	done := make(chan error, 1)
	go func() { done <- server.HandshakeContext(t.Context()) }()
	if err := errors.Join(client.HandshakeContext(t.Context()), <-done, near.Close()); err != nil {
		t.Fatal(err)
	}
	return client.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestARenewedCertificateIsTakenWithoutARestart(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	dir := t.TempDir()
	certPath, keyPath := renew(t, dir, 1, now)
	var log bytes.Buffer
	c, err := newCertificate(certPath, keyPath, slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	wants := func(when string, number int64) {
		t.Helper()
		if got := shownBy(t, c); got != number {
			t.Errorf("%s it shows number %d, want %d", when, got, number)
		}
	}
	wants("at first", 1)
	renew(t, dir, 2, now.Add(time.Second))
	now = now.Add(certificateCheckInterval - time.Second)
	wants("before its next look", 1)
	now = now.Add(time.Second)
	wants("after its next look", 2)

	write(t, keyPath, []byte("half a k"), now)
	now = now.Add(certificateCheckInterval)
	wants("with a broken key", 2)
	if !strings.Contains(log.String(), "reload the certificate") {
		t.Errorf("the log says %q", &log)
	}
	renew(t, dir, 3, now)
	now = now.Add(certificateCheckInterval)
	wants("once the key is whole", 3)
}

func TestACertificateThatCannotBeReadEndsTheStart(t *testing.T) {
	dir := t.TempDir()
	certPath, keyPath := renew(t, dir, 1, time.Now())
	write(t, filepath.Join(dir, "other"), nil, time.Now())
	for _, paths := range [][2]string{
		{certPath, filepath.Join(dir, "none")},
		{certPath, filepath.Join(dir, "other")},
		{keyPath, certPath},
	} {
		_, err := newCertificate(paths[0], paths[1], nil, time.Now)
		if err == nil || !strings.HasPrefix(err.Error(), "PARLEY_TLS_CERT and PARLEY_TLS_KEY: ") {
			t.Errorf("got %v", err)
		}
	}
}
