package door

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"parley"
)

// maxBody is the largest accepted body. Pictures are in it.
const maxBody = 16 << 20

// fields are the fields of a JSON object.
type fields map[string]json.RawMessage

// readFields reads the body of a request.
func readFields(r *http.Request) (fields, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, &Error{
			Status: http.StatusUnsupportedMediaType, Text: "compressed request bodies are not supported",
		}
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	var known *parley.Error
	switch {
	case errors.As(err, &known):
		return nil, known
	case err != nil:
		return nil, &Error{Status: http.StatusBadRequest, Text: "the request body breaks off or stalls"}
	case len(data) > maxBody:
		return nil, &Error{
			Status: http.StatusRequestEntityTooLarge, Text: "the request body is larger than 16 MiB",
		}
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

// take decodes a field, if it is there.
func (f fields) take(name string, into any) error {
	value, given := f[name]
	if given && json.Unmarshal(value, into) != nil {
		return invalid(name, "has a wrong type")
	}
	return nil
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
