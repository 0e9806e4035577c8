package config

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

const redacted = "[redacted]"

// Secret is a text that no log, error or dump shows.
type Secret string

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String tells only whether there is a secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format prints as String does, under every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Address is the URL of a service. Its parts that may hold a secret, user and query,
// do not show when it is printed.
type Address string

// Reveal returns the whole address.
func (a Address) Reveal() string { return string(a) }

// String is the address without user and query.
func (a Address) String() string {
	u, err := url.Parse(string(a))
	if err != nil {
		return redacted
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Format prints as String does, under every verb.
func (a Address) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, a.String()) }

// LogValue is String.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText is String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
