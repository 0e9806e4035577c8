package config

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

const redacted = "[redacted]"

// Secret is a text that is never printed: not in logs, errors or dumps.
type Secret string

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String returns a placeholder, or nothing if the secret is empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format prints the result of String with every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the result of String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the result of String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Address is the URL of a service. It is printed without user and query, which may hold a secret.
type Address string

// Reveal returns the whole address.
func (a Address) Reveal() string { return string(a) }

// String returns the address without user and query.
func (a Address) String() string {
	u, err := url.Parse(string(a))
	if err != nil {
		return redacted
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Format prints the result of String with every verb.
func (a Address) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, a.String()) }

// LogValue returns the result of String.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText returns the result of String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
