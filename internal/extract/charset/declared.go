package charset

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// ToUTF8 converts a page from the encoding that its response has declared. It returns the page as it is, to have its
// encoding detected, if it is in UTF-8 or not in the declared encoding. A declared Latin-1 says little: it is the
// default of old servers, and any bytes are valid in it.
func ToUTF8(file []byte, declared string) []byte {
	charset, err := htmlindex.Get(declared)
	if err != nil || charset == unicode.UTF8 || charset == charmap.Windows1252 ||
		byMark(file) != nil || utf8.Valid(trimIncomplete(file)) && !IsUTF16(charset) {
		return file
	}
	decoded, err := charset.NewDecoder().Bytes(file)
	if err != nil {
		return file
	}
	broken := bytes.Count(decoded, []byte(string(utf8.RuneError)))
	if broken*tolerance > utf8.RuneCount(decoded)-asciiCount(decoded) {
		return file
	}
	return decoded
}

// IsUTF16 reports whether the encoding is UTF-16. Its bytes can be valid UTF-8 too.
func IsUTF16(charset encoding.Encoding) bool {
	name, err := htmlindex.Name(charset)
	return err == nil && (name == "utf-16le" || name == "utf-16be")
}

func asciiCount(text []byte) int {
	n := 0
	for _, b := range text {
		if b < utf8.RuneSelf {
			n++
		}
	}
	return n
}
