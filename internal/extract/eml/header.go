package eml

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"strings"
)

// Header holds the first value of each field, by its name in lower case.
type Header map[string]string

// Get returns the value of a field with its encoded words decoded. Bytes beyond ASCII are as the message has them.
func (h Header) Get(name string) string { return decodeWords(h.raw(name)) }

func (h Header) raw(name string) string { return h[strings.ToLower(name)] }

// readHeader returns the fields of a header and the body behind it. A line continues the one before it if it is not a
// field. If the first line is not a field there is no header.
func readHeader(message []byte) (Header, []byte) {
	lines := map[string][]string{} // of each field
	current := ""                  // the field that a line may continue
	for rest := message; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
			message = rest
			break
		}
		name, value, isField := fieldOf(line)
		switch {
		case !isField && len(lines) == 0:
			return Header{}, message
		case !isField && current != "":
			lines[current] = append(lines[current], string(bytes.TrimSpace(line)))
		case isField && lines[name] != nil:
			current = "" // the first one counts
		case isField:
			current = name
			lines[name] = []string{string(value)}
		}
		if len(rest) == 0 {
			message = nil
		}
	}
	header := Header{}
	for name, parts := range lines {
		header[name] = strings.TrimSpace(strings.Join(parts, " "))
	}
	return header, message
}

// fieldOf returns the name, in lower case, and the value of a line, if it is a field.
func fieldOf(line []byte) (name string, value []byte, isField bool) {
	before, value, found := bytes.Cut(line, []byte(":"))
	before = bytes.TrimRight(before, " \t")
	if !found || len(before) == 0 || bytes.ContainsFunc(before, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", nil, false
	}
	return strings.ToLower(string(before)), bytes.TrimSpace(value), true
}

// decodeWords returns a text without the encoded words of RFC 2047. A text with a malformed one is returned as it is.
func decodeWords(text string) string {
	if !strings.Contains(text, "=?") {
		return text
	}
	decoder := mime.WordDecoder{CharsetReader: func(charset string, input io.Reader) (io.Reader, error) {
		word, err := io.ReadAll(input)
		if err != nil {
			return nil, err
		}
		decoded, known := decodeAs(charset, word)
		if !known {
			return nil, fmt.Errorf("the charset %q is not known", charset)
		}
		return strings.NewReader(decoded), nil
	}}
	decoded, err := decoder.DecodeHeader(text)
	if err != nil {
		return text
	}
	return decoded
}
