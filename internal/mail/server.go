// Package mail sends mail through an SMTP server.
package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// defaultTimeout bounds each step of a conversation with the server: it may look up things before it replies.
const defaultTimeout = 30 * time.Second

// Config names a mail server.
type Config struct {
	// URL is smtp://user:password@host:587, which requires STARTTLS unless the host is this machine, or
	// smtps://user:password@host:465. User and password may be missing.
	URL string
	// From is the address of the sender, with or without a name.
	From string
	// Timeout bounds each step of a conversation with the server. The default is 30 s.
	Timeout time.Duration

	// RootCAs are for tests. The default is those of the system.
	RootCAs *x509.CertPool
	// Dial is for tests. The default connects to the address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Server is a mail server.
type Server struct {
	host     string
	port     int
	user     string
	password string
	from     string
	implicit bool // TLS from the first byte
	plain    bool // no TLS
	timeout  time.Duration
	roots    *x509.CertPool
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewServer returns the server of a Config. Its errors have no password.
func NewServer(config Config) (*Server, error) {
	u, err := url.Parse(config.URL)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		return nil, errors.New("the address of a mail server is smtp://user:password@host:587 or " +
			"smtps://user:password@host:465, with special characters escaped")
	}
	s := &Server{
		host: u.Hostname(), port: 587, user: u.User.Username(), from: config.From, implicit: u.Scheme == "smtps",
		timeout: cmp.Or(config.Timeout, defaultTimeout), roots: config.RootCAs, dial: config.Dial,
	}
	s.password, _ = u.User.Password()
	s.plain = !s.implicit && isLoopback(s.host)
	if s.implicit {
		s.port = 465
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, errors.New("the port of the mail server is not a number")
		}
	}
	if s.dial == nil {
		s.dial = new(net.Dialer).DialContext
	}
	if err := gomail.NewMsg().From(config.From); err != nil {
		return nil, errors.New("the sender of mail is not an e-mail address")
	}
	return s, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// String returns the address of the server without user and password.
func (s *Server) String() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// Check connects to the server and logs in. It sends no mail.
func (s *Server) Check(ctx context.Context) error {
	return s.converse(ctx, func(*gomail.Client, *smtp.Client) error { return nil })
}

// Send hands a message to the server. If that fails, Temporary reports whether it may succeed later. The error has no
// e-mail address.
func (s *Server) Send(ctx context.Context, message Message) error {
	m, err := s.compose(message)
	if err != nil {
		return err
	}
	return s.converse(ctx, func(client *gomail.Client, connection *smtp.Client) error {
		err := client.SendWithSMTPClient(connection, m)
		if m.IsDelivered() {
			return nil // the connection failed afterwards
		}
		return sendError(err)
	})
}

// converse connects to the server, logs in, calls do and says goodbye. The end of ctx ends it.
func (s *Server) converse(ctx context.Context, do func(*gomail.Client, *smtp.Client) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client, err := s.client(func(dialing context.Context, network, _ string) (net.Conn, error) {
		conn, err := s.connect(dialing, network)
		if err == nil { // the library leaves it open after an error
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	})
	if err != nil {
		return fmt.Errorf("set up the mail client: %w", err)
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return connectError(err)
	}
	if err := do(client, connection); err != nil {
		return err
	}
	_ = client.CloseWithSMTPClient(connection) // the server has accepted the mail
	return nil
}

// connect opens a connection, with TLS if it begins with it.
func (s *Server) connect(ctx context.Context, network string) (net.Conn, error) {
	conn, err := s.dial(ctx, network, s.String())
	if err != nil || !s.implicit {
		return conn, err
	}
	secured := tls.Client(conn, s.tlsConfig())
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

func (s *Server) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
}

// client returns the library's client for one conversation.
func (s *Server) client(dial gomail.DialContextFunc) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(s.timeout), gomail.WithTLSConfig(s.tlsConfig()),
		gomail.WithDialContextFunc(dial), gomail.WithHELO(s.domain()),
	}
	switch {
	case s.implicit:
		options = append(options, gomail.WithSSL())
	case s.plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.user != "" {
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(s.mechanisms()...))
	}
	return gomail.NewClient(s.host, options...)
}

// mechanisms are the ways to log in, best first.
func (s *Server) mechanisms() []gomail.SMTPAuthType {
	if s.plain {
		return []gomail.SMTPAuthType{
			gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5,
			gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc,
		}
	}
	return []gomail.SMTPAuthType{
		gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin,
		gomail.SMTPAuthCramMD5,
	}
}

// domain returns the sender's domain. It introduces the client to the server, which may refuse the name of this
// machine.
func (s *Server) domain() string {
	return strings.TrimRight(s.from[strings.LastIndexByte(s.from, '@')+1:], "> ")
}
