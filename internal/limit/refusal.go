package limit

import (
	"bytes"
	"net/http"
	"strconv"

	"golang.org/x/net/http/httpguts"
)

// Refusal is an answer that connections give by themselves to requests there is no room
// for. net/http takes two to three times as long to come to the same, and what a refusal
// costs is taken from those who are let in.
type Refusal struct {
	// Needed reports whether requests have to be refused now.
	Needed func() bool
	// Prefix is how the paths begin whose requests are.
	Prefix string
	// Answer is a whole answer of HTTP/1.1, after which the connection goes on.
	Answer []byte
	// Count is told of each.
	Count func()
}

// fits reports whether a request can be answered without a closer look. Whatever is
// unusual about it is left to net/http.
func (r *Refusal) fits(request []byte) bool {
	head, body, found := bytes.Cut(request, endOfHead)
	line, fields, _ := bytes.Cut(head, endOfLine)
	method, rest, _ := bytes.Cut(line, []byte(" "))
	path, version, _ := bytes.Cut(rest, []byte(" "))
	switch string(method) {
	case http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete:
	default:
		return false
	}
	if !found || string(version) != "HTTP/1.1" || !bytes.HasPrefix(path, []byte(r.Prefix)) {
		return false
	}
	length, plain := readFields(fields)
	return plain && length == len(body)
}

var (
	endOfLine = []byte("\r\n")
	endOfHead = []byte("\r\n\r\n")
)

// whole reports whether what was read at once is one request, from its beginning to
// its end. A line may end without a carriage return, and is then left to net/http.
func whole(request []byte) bool {
	head, body, found := bytes.Cut(request, endOfHead)
	if !found || bytes.Count(head, []byte("\n")) != bytes.Count(head, endOfLine) {
		return false
	}
	if len(body) == 0 {
		return true // if there is one it comes later
	}
	_, fields, _ := bytes.Cut(head, endOfLine)
	length, _ := readFields(fields)
	return length == len(body)
}

// readFields reads how long the body is, and whether nothing else in the header of a
// request bears on where it ends or how it is answered.
func readFields(fields []byte) (length int, plain bool) {
	plain = true
	lengths, hosts := 0, 0
	for len(fields) > 0 {
		var line []byte
		line, fields, _ = bytes.Cut(fields, endOfLine)
		name, value, found := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case !found || !httpguts.ValidHeaderFieldName(string(name)) || !validValue(value):
			plain = false
		case is(name, "Host"):
			hosts++
		case is(name, "Content-Length"):
			n, err := strconv.ParseUint(string(value), 10, 31)
			plain = plain && err == nil
			length = int(n)
			lengths++
		case is(name, "Connection"):
			plain = plain && is(value, "keep-alive")
		case is(name, "Transfer-Encoding"), is(name, "Expect"), is(name, "Upgrade"), is(name, "Origin"):
			plain = false
		}
	}
	return length, plain && hosts == 1 && lengths <= 1
}

// validValue is httpguts.ValidHeaderFieldValue for bytes: a string of them would be copied.
func validValue(value []byte) bool {
	for _, b := range value {
		if b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

func is(text []byte, word string) bool {
	return len(text) == len(word) && bytes.EqualFold(text, []byte(word))
}
