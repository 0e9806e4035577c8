// Package eml takes messages apart, as RFC 5322 and MIME describe them and as programs write them. It fails only on
// messages with too many parts: whatever else is malformed is read as far as it makes sense.
package eml

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/text/encoding"
)

const (
	// maxDepth limits how deep parts hold parts.
	maxDepth = 50
	// maxParts limits the parts of a message.
	maxParts = 10_000
)

// ErrTooManyParts is returned for a message with more than 10,000 parts, or with parts within more than 50 others.
var ErrTooManyParts = errors.New("the message has too many parts")

// Part is a message, or a part of one.
type Part struct {
	Header Header
	// Type is the media type in lower case. It is text/plain unless the header says otherwise.
	Type string
	// Disposition is "attachment", "inline" or another word in lower case, or empty.
	Disposition string
	// FileName may be empty.
	FileName string
	// Encoding is the declared one of a text. It is nil if no encoding is declared, or an unknown one.
	Encoding encoding.Encoding
	// Content is what the part holds, without its transfer encoding. It is empty if the part has parts.
	Content []byte
	Parts   []*Part
}

// Parse reads a message.
func Parse(message []byte) (*Part, error) {
	parser := parser{room: maxParts}
	root := parser.parse(message, 0)
	if parser.room < 0 {
		return nil, ErrTooManyParts
	}
	return root, nil
}

// Leaves returns the part itself if it has no parts, else the leaves of its parts, in their order.
func (p *Part) Leaves() []*Part {
	if len(p.Parts) == 0 {
		return []*Part{p}
	}
	var leaves []*Part
	for _, part := range p.Parts {
		leaves = append(leaves, part.Leaves()...)
	}
	return leaves
}

// parser counts down the parts that a message may still have.
type parser struct {
	room int
}

func (p *parser) parse(message []byte, depth int) *Part {
	header, body := readHeader(message)
	media := parseValue(header.raw("Content-Type"))
	disposition := parseValue(header.raw("Content-Disposition"))
	part := &Part{
		Header:      header,
		Type:        mediaType(media.word),
		Disposition: disposition.word,
		FileName:    firstOf(disposition.parameters["filename"], media.parameters["name"], media.parameters["file"]),
	}
	boundary := media.parameters["boundary"]
	if strings.HasPrefix(part.Type, "multipart/") && boundary != "" {
		if depth == maxDepth {
			p.room = -1
			return part
		}
		for _, inner := range p.split(body, boundary) {
			part.Parts = append(part.Parts, p.parse(inner, depth+1))
		}
		if len(part.Parts) > 0 {
			return part
		}
	}
	part.Content = decodeTransfer(header.raw("Content-Transfer-Encoding"), body)
	if charset := media.parameters["charset"]; strings.HasPrefix(part.Type, "text/") {
		if isUTF7(charset) {
			part.Content, charset = decodeUTF7(part.Content), "utf-8"
		}
		part.Encoding = encodingOf(charset)
	}
	return part
}

// split returns what stands between the lines with the boundary. The last part may lack its end.
func (p *parser) split(body []byte, boundary string) [][]byte {
	delimiter := []byte("--" + boundary)
	var parts [][]byte
	start := -1 // of the current part, if any
	for at := 0; at < len(body); {
		length := bytes.IndexByte(body[at:], '\n') + 1
		if length == 0 {
			length = len(body) - at
		}
		line := body[at : at+length]
		if rest, found := bytes.CutPrefix(line, delimiter); found {
			last := bytes.HasPrefix(rest, []byte("--"))
			if last || len(bytes.TrimSpace(rest)) == 0 {
				if start >= 0 {
					parts = append(parts, withoutLineEnd(body[start:max(start, at)]))
				}
				start = at + length
				if p.room--; last || p.room < 0 {
					return parts
				}
			}
		}
		at += length
	}
	if start >= 0 {
		parts = append(parts, body[start:])
	}
	return parts
}

// withoutLineEnd removes the end of the last line, which belongs to the boundary.
func withoutLineEnd(part []byte) []byte {
	part = bytes.TrimSuffix(part, []byte("\n"))
	return bytes.TrimSuffix(part, []byte("\r"))
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return decodeWords(value)
		}
	}
	return ""
}
