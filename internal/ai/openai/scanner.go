package openai

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner scans JSON without allocating. Its methods consume one value and report whether it was complete.
type scanner struct{ rest []byte }

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for i, c := range s.rest {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			s.rest = s.rest[i:]
			return c
		}
	}
	s.rest = nil
	return 0
}

// at reports whether the next value begins with text, without consuming it.
func (s *scanner) at(text string) bool {
	s.peek()
	return len(s.rest) >= len(text) && string(s.rest[:len(text)]) == text
}

func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// object calls visit with each key. visit has to consume the value. Any value but an object is skipped.
func (s *scanner) object(visit func(key []byte) bool) bool {
	if s.peek() != '{' {
		return s.skip()
	}
	s.take('{')
	if s.take('}') {
		return true
	}
	for {
		if s.peek() != '"' {
			return false
		}
		key, ok := s.raw()
		if !ok || !s.take(':') {
			return false
		}
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(unescape(key))
		}
		if !visit(key) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// array calls visit for each element. visit has to consume it. Any value but an array is skipped.
func (s *scanner) array(visit func() bool) bool {
	if s.peek() != '[' {
		return s.skip()
	}
	s.take('[')
	if s.take(']') {
		return true
	}
	for visit() {
		if !s.take(',') {
			return s.take(']')
		}
	}
	return false
}

// str returns a string. It skips any other value and returns "".
func (s *scanner) str() (string, bool) {
	if s.peek() != '"' {
		return "", s.skip()
	}
	raw, ok := s.raw()
	if !ok || len(raw) == 0 {
		return "", ok
	}
	if bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return unescape(raw), true
	}
	return string(raw), true
}

// raw consumes a string and returns the bytes between its quotes.
func (s *scanner) raw() ([]byte, bool) {
	for i := 1; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '"':
			raw := s.rest[1:i]
			s.rest = s.rest[i+1:]
			return raw, true
		case '\\':
			i++
		}
	}
	return nil, false
}

// skip consumes any value. It does not recurse, so deep nesting can't exhaust the stack.
func (s *scanner) skip() bool {
	depth := 0
	for {
		switch s.peek() {
		case 0:
			return false
		case '"':
			if _, ok := s.raw(); !ok {
				return false
			}
		case '{', '[':
			depth++
			s.rest = s.rest[1:]
		case '}', ']':
			depth--
			s.rest = s.rest[1:]
		case ',', ':':
			if depth == 0 {
				return false
			}
			s.rest = s.rest[1:]
			continue
		default:
			s.literal()
		}
		if depth <= 0 {
			return depth == 0
		}
	}
}

// literal consumes a number, true, false or null.
func (s *scanner) literal() {
	end := bytes.IndexAny(s.rest, " \t\r\n,:]}[{\"")
	if end < 0 {
		end = len(s.rest)
	}
	s.rest = s.rest[end:]
}

// unescape decodes escapes, and replaces invalid UTF-8 and UTF-16 by U+FFFD.
func unescape(raw []byte) string {
	var out strings.Builder
	out.Grow(len(raw))
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == '\\' {
			r, size = escape(raw)
		}
		out.WriteRune(r)
		raw = raw[size:]
	}
	return out.String()
}

// escape decodes the escape at the beginning of raw and returns its length.
func escape(raw []byte) (rune, int) {
	if len(raw) < 2 {
		return utf8.RuneError, len(raw)
	}
	switch raw[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		return unicodeEscape(raw)
	}
	return rune(raw[1]), 2
}

func unicodeEscape(raw []byte) (rune, int) {
	r, ok := codeUnit(raw)
	if !ok {
		return utf8.RuneError, 2
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := codeUnit(raw[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// codeUnit decodes the UTF-16 code unit of an escape like \u00e9.
func codeUnit(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(n), err == nil
}
