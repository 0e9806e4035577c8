package eml

import (
	"slices"
	"strconv"
	"strings"
)

// value is a word with parameters, such as that of Content-Type.
type value struct {
	word       string // in lower case
	parameters map[string]string
}

// segment is a piece of a parameter as RFC 2231 splits them. Only an encoded one has percent signs that mean bytes.
type segment struct {
	index   int
	encoded bool
	text    string
}

// parseValue reads a word and its parameters. mime.ParseMediaType refuses much that messages have: values with spaces
// or signs that need quotes, names in other charsets than UTF-8, parameters that come twice.
func parseValue(text string) value {
	v := value{parameters: map[string]string{}}
	pieces := splitQuoted(text)
	if name, _, isParameter := strings.Cut(pieces[0], "="); isParameter && !strings.ContainsAny(name, "/ ") {
		pieces = append([]string{"application/octet-stream"}, pieces...) // the word is missing
	}
	// The semicolon behind the word may be missing too.
	word, rest, _ := strings.Cut(strings.TrimSpace(pieces[0]), " ")
	v.word = strings.ToLower(word)
	split := map[string][]segment{}
	for _, piece := range append([]string{rest}, pieces[1:]...) {
		name, content, _ := strings.Cut(piece, "=")
		name, content = strings.ToLower(strings.TrimSpace(name)), unquote(strings.TrimSpace(content))
		if base, index, isSegment := strings.Cut(name, "*"); isSegment {
			split[base] = append(split[base], newSegment(index, content))
		} else if _, again := v.parameters[name]; !again {
			v.parameters[name] = content
		}
	}
	for name, segments := range split {
		v.parameters[name] = join(segments)
	}
	return v
}

// newSegment returns the segment with a name that ends in the index: "", "0", "1*".
func newSegment(index, text string) segment {
	digits, encoded := strings.CutSuffix(index, "*")
	number, err := strconv.Atoi(digits)
	return segment{index: number, encoded: encoded || err != nil, text: text}
}

// join returns the text of segments. The first one, if encoded, begins with the charset and the language.
func join(segments []segment) string {
	slices.SortStableFunc(segments, func(a, b segment) int { return a.index - b.index })
	charset := ""
	if first := &segments[0]; first.encoded {
		if parts := strings.SplitN(first.text, "'", 3); len(parts) == 3 {
			charset, first.text = parts[0], parts[2]
		}
	}
	var joined []byte
	for _, s := range segments {
		if s.encoded {
			joined = appendEscaped(joined, s.text, '%')
		} else {
			joined = append(joined, s.text...)
		}
	}
	if text, known := decodeAs(charset, joined); known {
		return text
	}
	return string(joined)
}

// appendEscaped appends the bytes of a text. The sign before two hexadecimal digits means a byte.
func appendEscaped(to []byte, text string, sign byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == sign && i+2 < len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				to = append(to, byte(code))
				i += 2
				continue
			}
		}
		to = append(to, text[i])
	}
	return to
}

// mediaType returns the media type that a word means.
func mediaType(word string) string {
	switch word {
	case "", "text", "text/":
		return "text/plain"
	case "multipart/":
		return "multipart/mixed"
	}
	kind, subtype, _ := strings.Cut(word, "/")
	if end := strings.IndexAny(subtype, `/()<>@,:\"[]?=`); end >= 0 {
		subtype = subtype[:end]
	}
	if kind == "" || subtype == "" {
		return "application/octet-stream"
	}
	return kind + "/" + subtype
}

// splitQuoted splits a text at the semicolons that are not between quotes. A quote without its end quotes nothing.
func splitQuoted(text string) []string {
	var pieces []string
	start, quoted := 0, false
	lastQuote := strings.LastIndexByte(text, '"')
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted && i < lastQuote
		case text[i] == ';' && !quoted:
			pieces = append(pieces, text[start:i])
			start = i + 1
		}
	}
	return append(pieces, text[start:])
}

// unquote removes the quotes around a text, and the backslashes in front of quotes and backslashes.
func unquote(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return strings.Trim(text, `"`)
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text[1 : len(text)-1])
}
