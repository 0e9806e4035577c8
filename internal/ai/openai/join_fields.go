package openai

import (
	"encoding/json"
	"maps"
	"slices"
)

// joinFields returns a JSON object with the fields as they are. json.Marshal would take several times their size and
// make six bytes of each "<".
func joinFields(fields map[string]json.RawMessage) []byte {
	const overhead = 16 // of a name
	size := 0
	for name, value := range fields {
		size += len(name) + overhead + len(value)
	}
	out := make([]byte, 0, size)
	separator := byte('{')
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, separator)
		out = append(out, quote(name)...)
		out = append(out, ':')
		out = append(out, fields[name]...)
		separator = ','
	}
	return append(out, '}')
}
