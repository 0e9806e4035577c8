package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

// TestHTTPSIsServedWithBothVersionsOfHTTP chats and streams with TLS. Without TLS the server must refuse it.
func TestHTTPSIsServedWithBothVersionsOfHTTP(t *testing.T) {
	t.Parallel()
	certPath, keyPath, roots := borrowedCertificate(t)
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_TLS_CERT="+certPath, "PARLEY_TLS_KEY="+keyPath)
	if !strings.HasPrefix(p.url, "https://127.0.0.1:") {
		t.Fatalf("it serves %s", p.url)
	}
	for protocol, two := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(protocol, func(t *testing.T) {
			transport := &http.Transport{
				TLSClientConfig:   &tls.Config{RootCAs: roots, ServerName: "example.com"},
				ForceAttemptHTTP2: two,
			}
			t.Cleanup(transport.CloseIdleConnections)
			var spoken, strict string
			c := client.New(p.url,
				client.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					response, err := transport.RoundTrip(r)
					if err == nil {
						spoken, strict = response.Proto, response.Header.Get("Strict-Transport-Security")
					}
					return response, err
				})}))
			_, err := c.Register(t.Context(),
				parley.RegisterInput{Email: strings.ReplaceAll(protocol, "/", ".") + "@example.com", Password: "a password"})
			must(t, err)
			stream, err := c.Stream(t.Context(), parley.SendInput{SessionID: session(t, c), Content: "Hello"})
			must(t, err)
			out, err := stream.Wait()
			must(t, errors.Join(err, stream.Close()))
			if out.AIResponse.Content == "" || spoken != protocol || strict != "max-age=31536000" {
				t.Errorf("the stream ended with %+v over %s, Strict-Transport-Security is %q", out, spoken, strict)
			}
		})
	}
	plain, err := http.Get(strings.Replace(p.url, "https:", "http:", 1) + "/healthz")
	must(t, err)
	defer plain.Body.Close()
	if plain.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS the response is %s", plain.Status)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// borrowedCertificate writes httptest's certificate for example.com into files.
func borrowedCertificate(t *testing.T) (certPath, keyPath string, roots *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	secret, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	must(t, err)
	dir := t.TempDir()
	certPath, keyPath = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(certPath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o600))
	must(t, os.WriteFile(keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	roots = x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return certPath, keyPath, roots
}
