// Package extracttest makes documents for tests of decoders, and checks what they read.
package extracttest

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/extract/prose"
)

// Check fails the test unless a decoder has read a document or refused it.
func Check(t testing.TB, document prose.Document, err error) {
	t.Helper()
	if err == nil {
		CheckText(t, document)
	} else if !IsKnownRefusal(err) {
		t.Errorf("got %v", err)
	}
}

// CheckText checks what every decoder guarantees.
func CheckText(t testing.TB, document prose.Document) {
	t.Helper()
	if !utf8.ValidString(document.Text) || strings.TrimSpace(document.Text) == "" {
		t.Errorf("type %q, text %.200q", document.Type, document.Text)
	}
	if strings.ContainsFunc(document.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		t.Errorf("control characters in %.200q", document.Text)
	}
	last := -1
	for _, anchor := range document.Anchors {
		if anchor.Offset <= last || anchor.Offset >= len(document.Text) || anchor.Name == "" {
			t.Errorf("anchors %v of %d bytes", document.Anchors, len(document.Text))
		}
		last = anchor.Offset
	}
}

// IsKnownRefusal reports whether a document was refused for a reason that users may see.
func IsKnownRefusal(err error) bool {
	var e *parley.Error
	return errors.As(err, &e) && prose.Refusal(e.Message) != nil
}

// IsRefusal reports whether a document was refused for this reason and no other.
func IsRefusal(err error, reason *parley.Error) bool {
	var e *parley.Error
	return errors.As(err, &e) && e.Message == reason.Message
}
