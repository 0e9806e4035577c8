package charset

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// InUTF8 converts the beginning of a document in UTF-16, UTF-32 or an encoding of seven bits to UTF-8.
func InUTF8(head []byte) []byte { return decoded(head, byMark, wideWithoutMark, sevenBit) }

// WideInUTF8 converts a document in UTF-16 or UTF-32 to UTF-8.
func WideInUTF8(file []byte) []byte { return decoded(file, byMark, wideWithoutMark) }

// decoded converts a text to UTF-8, from the first encoding that a finder returns.
func decoded(head []byte, finders ...func([]byte) encoding.Encoding) []byte {
	for _, find := range finders {
		charset := find(head)
		if charset == nil || charset == encoding.Nop {
			continue
		}
		if decoded, err := charset.NewDecoder().Bytes(head); err == nil {
			return decoded
		}
	}
	return head
}

// Decode returns the text of a file in UTF-8. It may contain invalid bytes.
func Decode(file []byte) io.Reader {
	charset := Of(file)
	if charset == encoding.Nop {
		return bytes.NewReader(file)
	}
	return charset.NewDecoder().Reader(bytes.NewReader(file))
}

// IsJunk reports whether a character indicates binary data or a wrong encoding.
func IsJunk(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\x1b', '\u0085':
		return false
	}
	return r == utf8.RuneError || unicode.IsControl(r)
}
