package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

var (
	errNotJSON    = errors.New("is not one valid JSON document")
	errNotUnicode = errors.New("holds text that is not valid Unicode")
)

// encodeJSON writes a value on one line.
func encodeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// bodyDecoder decodes the bodies of requests. It caches the fields of each input because reflection allocates them
// anew each time.
type bodyDecoder struct {
	fields sync.Map // []bodyField by reflect.Type
}

// bodyField is a field of an input and the name of its member.
type bodyField struct {
	name  string
	index []int
	// nulls is set for a field with the tag nulls:"true". The field has no member of its own: it receives the names
	// of the members that are null. It comes last.
	nulls bool
}

// decode decodes a body. Huma calls it twice: for a generic value, which it validates, and for the input itself. Both
// times, names must match exactly, and null counts as absent unless the input asks for it.
func (d *bodyDecoder) decode(data []byte, v any) error {
	generic, ok := v.(*any)
	if !ok {
		return d.decodeInput(data, v)
	}
	if !utf8.Valid(data) || !validEscapes(data) {
		return errNotUnicode
	}
	if err := json.Unmarshal(data, generic); err != nil {
		return errNotJSON
	}
	switch value := (*generic).(type) {
	case nil:
		*generic = map[string]any{}
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
			}
		}
	}
	return nil
}

// decodeInput fills the fields of a struct from members with exactly their names. encoding/json alone would also
// accept names that differ in case, which the schema has not checked.
func (d *bodyDecoder) decodeInput(data []byte, v any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return errNotJSON
	}
	target := reflect.ValueOf(v).Elem()
	var nulls []string
	for _, field := range d.fieldsOf(target.Type()) {
		member, given := members[field.name]
		switch {
		case field.nulls:
			target.FieldByIndex(field.index).Set(reflect.ValueOf(nulls))
		case !given:
		case bytes.Equal(member, []byte("null")):
			nulls = append(nulls, field.name)
		default:
			if err := json.Unmarshal(member, target.FieldByIndex(field.index).Addr().Interface()); err != nil {
				return errNotJSON
			}
		}
	}
	return nil
}

// fieldsOf returns the fields of a struct, including those of embedded structs.
func (d *bodyDecoder) fieldsOf(input reflect.Type) []bodyField {
	if known, found := d.fields.Load(input); found {
		return known.([]bodyField)
	}
	var fields []bodyField
	for _, field := range reflect.VisibleFields(input) {
		if !field.Anonymous {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields = append(fields, bodyField{name: name, index: field.Index, nulls: field.Tag.Get("nulls") == "true"})
		}
	}
	d.fields.Store(input, fields)
	return fields
}

// validEscapes reports whether no escape is NUL or half a surrogate pair. encoding/json would replace these.
func validEscapes(data []byte) bool {
	for i := bytes.IndexByte(data, '\\'); i >= 0 && i+1 < len(data); {
		next := i + 2
		if data[i+1] == 'u' {
			unit, ok := escapedUnit(data[i:])
			switch {
			case !ok, unit == 0, unit >= 0xDC00 && unit < 0xE000:
				return false
			case unit >= 0xD800 && unit < 0xDC00:
				low, ok := escapedUnit(data[i+6:])
				if !ok || low < 0xDC00 || low >= 0xE000 {
					return false
				}
				next = i + 12
			default:
				next = i + 6
			}
		}
		following := bytes.IndexByte(data[next:], '\\')
		if following < 0 {
			break
		}
		i = next + following
	}
	return true
}

// escapedUnit decodes \uXXXX at the beginning of data.
func escapedUnit(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range data[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	return unit, true
}
