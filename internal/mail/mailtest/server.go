// Package mailtest has a mail server for tests.
package mailtest

import (
	"crypto/tls"
	"io"
	"log"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// maxWait is how long Next waits for a mail.
const maxWait = 30 * time.Second

// Mail is a mail that the server has received.
type Mail struct {
	From, To string
	Header   mail.Header
	Text     string
	// TLS is whether the connection was encrypted.
	TLS bool
}

// Config configures a server. The zero Config is a server that takes any mail without a login, and without TLS.
type Config struct {
	// TLS is for STARTTLS, or from the first byte if Implicit is set.
	TLS      *tls.Config
	Implicit bool
	// User and Password are required for a login, if they are not empty.
	User, Password string
}

// Server is an SMTP server on a loopback address.
type Server struct {
	Address string

	config Config
	mails  chan Mail

	mu       sync.Mutex
	refusals []error
	slow     <-chan struct{}
}

// New starts a server. It ends with the test.
func New(t testing.TB, config Config) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: listener.Addr().String(), config: config, mails: make(chan Mail, 100)}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, conn: c}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "localhost", true
	server.EnableSMTPUTF8 = true
	server.ErrorLog = log.New(io.Discard, "", 0)
	if config.Implicit {
		listener = tls.NewListener(listener, config.TLS)
	} else {
		server.TLSConfig = config.TLS
	}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) }) // it ends when the server is closed
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // which the server does not know if it has just been started
		done.Wait()
	})
	return s
}

// URL returns the address of the server with user and password. A host replaces its address, with the port 587.
func (s *Server) URL(host string) string {
	u := url.URL{Scheme: "smtp", Host: s.Address}
	if s.config.Implicit {
		u.Scheme = "smtps"
	}
	if host != "" {
		u.Host = host
	}
	if s.config.User != "" {
		u.User = url.UserPassword(s.config.User, s.config.Password)
	}
	return u.String()
}

// Refuse refuses the next recipients with these errors, one after the other.
func (s *Server) Refuse(refusals ...error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals = append(s.refusals, refusals...)
}

// Stall makes the server not reply to recipients until released is closed.
func (s *Server) Stall(released <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = released
}

// Next returns the next mail. It waits for it.
func (s *Server) Next(t testing.TB) Mail {
	t.Helper()
	select {
	case m := <-s.mails:
		return m
	case <-time.After(maxWait):
		t.Fatal("no mail has come")
		return Mail{}
	}
}

// Count returns how many mails have come that Next has not returned.
func (s *Server) Count() int { return len(s.mails) }

// session is a connection of a client.
type session struct {
	server   *Server
	conn     *smtp.Conn
	loggedIn bool
	from, to string
}

func (s *session) AuthMechanisms() []string {
	if s.server.config.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.config.User || password != s.server.config.Password {
			return smtp.ErrAuthFailed
		}
		s.loggedIn = true
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.config.User != "" && !s.loggedIn {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	slow := s.server.slow
	var refusal error
	if all := s.server.refusals; len(all) > 0 {
		refusal, s.server.refusals = all[0], all[1:]
	}
	s.server.mu.Unlock()
	if slow != nil {
		<-slow
	}
	s.to = to
	return refusal
}

func (s *session) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	body := m.Body
	if strings.EqualFold(m.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	_, encrypted := s.conn.TLSConnectionState()
	s.server.mails <- Mail{From: s.from, To: s.to, Header: m.Header, Text: string(text), TLS: encrypted}
	return nil
}

func (s *session) Reset()        { s.from, s.to = "", "" }
func (s *session) Logout() error { return nil }

// Greylisted is the reply of a server that takes a mail when it comes again.
func Greylisted() error {
	return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "try again later"}
}

// Unknown is the reply of a server that does not know a recipient.
func Unknown(address string) error {
	return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "<" + address + "> is unknown"}
}
