package mail

import (
	"context"
	"crypto/x509"
	"mime"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/mail/mailtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	sender    = "Parley <parley@example.com>"
	recipient = "ada@example.org"
	host      = "mail.example.com"
)

var letter = Message{To: recipient, Subject: "重置密码", Text: "Line one\n第二行 https://example.com/#reset=1.abc=\n"}

// named returns the settings to reach a server by the name host.
func named(s *mailtest.Server, roots *x509.CertPool) Config {
	return Config{
		URL: s.URL(host), From: sender, RootCAs: roots,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Address)
		},
	}
}

func newServer(t *testing.T, config Config) *Server {
	t.Helper()
	s, err := NewServer(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAMailArrives(t *testing.T) {
	secured, roots := mailtest.Certificate(t, host)
	onLoopback, rootsOfLoopback := mailtest.Certificate(t, "127.0.0.1")
	user, password := "parley@example.com", "p:a/s@s%"
	for _, c := range []struct {
		name      string
		server    mailtest.Config
		config    func(*mailtest.Server) Config
		encrypted bool
	}{
		{
			"STARTTLS with a login",
			mailtest.Config{TLS: secured, User: user, Password: password},
			func(s *mailtest.Server) Config { return named(s, roots) }, true,
		},
		{
			"TLS from the first byte with a login",
			mailtest.Config{TLS: onLoopback, Implicit: true, User: user, Password: password},
			func(s *mailtest.Server) Config { return Config{URL: s.URL(""), From: sender, RootCAs: rootsOfLoopback} }, true,
		},
		{
			"this machine without TLS and login",
			mailtest.Config{},
			func(s *mailtest.Server) Config { return Config{URL: s.URL(""), From: sender} }, false,
		},
		{
			"this machine without TLS and with a login",
			mailtest.Config{User: user, Password: password},
			func(s *mailtest.Server) Config { return Config{URL: s.URL(""), From: sender} }, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			received := mailtest.New(t, c.server)
			s := newServer(t, c.config(received))
			if err := s.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Send(t.Context(), letter); err != nil {
				t.Fatal(err)
			}
			got := received.Next(t)
			subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
			if err != nil || subject != letter.Subject || got.From != "parley@example.com" || got.To != recipient ||
				strings.ReplaceAll(got.Text, "\r\n", "\n") != letter.Text || got.TLS != c.encrypted {
				t.Errorf("got %q, %+v", subject, got)
			}
			if got.Header.Get("Auto-Submitted") != "auto-generated" || got.Header.Get("User-Agent") != "" ||
				!strings.HasSuffix(got.Header.Get("Message-Id"), "@example.com>") || got.Header.Get("Date") == "" {
				t.Errorf("the header is %v", got.Header)
			}
			if received.Count() != 0 {
				t.Error("the check has sent a mail")
			}
		})
	}
}

func TestAMailThatFailsSaysWhetherToTryAgain(t *testing.T) {
	secured, roots := mailtest.Certificate(t, host)
	other, otherRoots := mailtest.Certificate(t, "other.example.com")
	for _, c := range []struct {
		name      string
		server    mailtest.Config
		refusal   error
		change    func(*Config)
		temporary bool
		says      string
	}{
		{
			name: "another server's certificate", server: mailtest.Config{TLS: other},
			change: func(c *Config) { c.RootCAs = otherRoots }, says: "certificate",
		},
		{
			name: "an unknown authority", server: mailtest.Config{TLS: secured},
			change: func(c *Config) { c.RootCAs = x509.NewCertPool() }, says: "certificate",
		},
		{name: "no TLS", server: mailtest.Config{}, temporary: true, says: "STARTTLS"},
		{
			name: "a refused login", server: mailtest.Config{TLS: secured, User: "parley", Password: "secret"},
			change: func(c *Config) { c.URL = strings.Replace(c.URL, "secret", "hush-hush", 1) }, says: "535",
		},
		{
			name: "no login", server: mailtest.Config{TLS: secured, User: "parley", Password: "secret"},
			change: func(c *Config) { c.URL = "smtp://" + host }, says: "502",
		},
		{
			name: "greylisting", server: mailtest.Config{TLS: secured}, refusal: mailtest.Greylisted(), temporary: true,
			says: "451 4.7.1",
		},
		{
			name: "an unknown recipient", server: mailtest.Config{TLS: secured}, refusal: mailtest.Unknown(recipient),
			says: "550 5.1.1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			received := mailtest.New(t, c.server)
			if c.refusal != nil {
				received.Refuse(c.refusal)
			}
			config := named(received, roots)
			if c.change != nil {
				c.change(&config)
			}
			err := newServer(t, config).Send(t.Context(), letter)
			if err == nil || Temporary(err) != c.temporary || !strings.Contains(err.Error(), c.says) {
				t.Errorf("temporary %t: %v", Temporary(err), err)
			}
			for _, secret := range []string{recipient, "hush-hush", "secret"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("the error has %q: %v", secret, err)
				}
			}
			if received.Count() != 0 {
				t.Error("a mail has arrived")
			}
		})
	}
}

func TestNoServerIsTriedAgain(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	s := newServer(t, Config{URL: "smtp://" + listener.Addr().String(), From: sender})
	if err := s.Send(t.Context(), letter); !Temporary(err) {
		t.Errorf("got %v", err)
	}
}

func TestASlowServerIsGivenUp(t *testing.T) {
	received := mailtest.New(t, mailtest.Config{})
	released := make(chan struct{})
	received.Stall(released)
	defer close(released)
	s := newServer(t, Config{URL: received.URL(""), From: sender, Timeout: 50 * time.Millisecond})
	if err := s.Send(t.Context(), letter); !Temporary(err) {
		t.Errorf("after the time: %v", err)
	}
	s = newServer(t, Config{URL: received.URL(""), From: sender})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Send(ctx, letter); !Temporary(err) {
		t.Errorf("when the server ends: %v", err)
	}
}

func TestTheSettingsOfAServerAreChecked(t *testing.T) {
	for _, c := range []Config{
		{URL: "http://mail.example.com", From: sender},
		{URL: "smtp://", From: sender},
		{URL: "smtp://parley:hush%zz@mail.example.com", From: sender},
		{URL: "smtp://mail.example.com", From: "nobody"},
	} {
		if _, err := NewServer(c); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for url, want := range map[string]string{
		"smtp://mail.example.com":      "mail.example.com:587",
		"smtps://mail.example.com":     "mail.example.com:465",
		"smtp://u:p@mail.example.com":  "mail.example.com:587",
		"smtp://mail.example.com:2525": "mail.example.com:2525",
		"smtp://[::1]:25":              "[::1]:25",
	} {
		if got := newServer(t, Config{URL: url, From: sender}).String(); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}
