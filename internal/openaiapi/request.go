package openaiapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
)

// MaxBody is the largest accepted body. Pictures are in it.
const MaxBody = 16 << 20

// fields are the fields of a JSON object.
type fields map[string]json.RawMessage

// readFields reads the body of a request.
func readFields(r *http.Request) (fields, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, &Error{
			Status: http.StatusUnsupportedMediaType, Text: "compressed request bodies are not supported",
		}
	}
	tooLarge := &Error{Status: http.StatusRequestEntityTooLarge, Text: "the request body is larger than 16 MiB"}
	if r.ContentLength > MaxBody {
		return nil, tooLarge
	}
	data, err := readBody(r)
	var known *parley.Error
	switch {
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, &Error{Status: http.StatusBadRequest, Text: "the request body breaks off or stalls"}
	case len(data) > MaxBody:
		return nil, tooLarge
	}
	if commas(data, allDepths) >= maxValues {
		return nil, &Error{Status: http.StatusBadRequest, Text: "the request body has more than 100,000 values"}
	}
	var body fields
	if !utf8.Valid(data) || json.Unmarshal(data, &body) != nil || body == nil {
		return nil, &Error{Status: http.StatusBadRequest, Text: "the request body must be a JSON object"}
	}
	for name, value := range body {
		if string(value) == "null" {
			delete(body, name)
		}
	}
	return body, nil
}

// readBody reads a body, up to one byte more than MaxBody. Its length is held with the first bytes, and allocated then.
func readBody(r *http.Request) ([]byte, error) {
	var in bytes.Buffer
	_, err := io.CopyN(&in, r.Body, bytes.MinRead)
	if err == nil {
		in.Grow(int(max(0, r.ContentLength)) + bytes.MinRead)
		_, err = in.ReadFrom(io.LimitReader(r.Body, MaxBody+1-bytes.MinRead))
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return in.Bytes(), err
}

// take decodes a field, if it is there.
func (f fields) take(name string, into any) error {
	value, given := f[name]
	if given && json.Unmarshal(value, into) != nil {
		return invalid(name, "has a wrong type")
	}
	return nil
}

// field is the name of a field and what it is decoded into.
type field struct {
	name string
	into any
}

// takeAll decodes fields, if they are there. If several are wrong, the error is about the first.
func (f fields) takeAll(wanted ...field) error {
	for _, w := range wanted {
		if err := f.take(w.name, w.into); err != nil {
			return err
		}
	}
	return nil
}

// beyond returns the first unknown field, by name.
func (f fields) beyond(known []string) (name string, found bool) {
	for other := range f {
		if !slices.Contains(known, other) && (!found || other < name) {
			name, found = other, true
		}
	}
	return name, found
}

// text returns a text field, or "".
func (f fields) text(name string) (text string, err error) {
	err = f.take(name, &text)
	return text, err
}

// flag returns a boolean field, or false.
func (f fields) flag(name string) (flag bool, err error) {
	err = f.take(name, &flag)
	return flag, err
}

// idempotencyKey returns the idempotency key of a request, or "".
func idempotencyKey(r *http.Request) (string, error) {
	const name, maxLength = "Idempotency-Key", 128
	switch values := r.Header.Values(name); {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", invalid(name, "must be given once")
	case !utf8.ValidString(values[0]) || utf8.RuneCountInString(values[0]) > maxLength:
		return "", invalid(name, "must be at most 128 characters long")
	default:
		return values[0], nil
	}
}
