// Package charset finds the encoding of a text and converts the text to UTF-8. Nothing has to say what the encoding is.
package charset

import (
	"bytes"
	"cmp"
	"regexp"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const (
	// sampleSize is the size of the sample that decides the encoding.
	sampleSize = 16 << 10
	// tolerance is the number of valid characters that outweigh an invalid byte.
	tolerance = 20
	// metaSize is how far into a page its declaration of a charset is looked for.
	metaSize = 64 << 10
)

// Of returns the encoding of a text: from its byte-order mark, else UTF-16 or UTF-32 without
// one, else an encoding in seven bits, else UTF-8 if it is valid, else what the text declares, else
// the most likely one.
func Of(file []byte) encoding.Encoding { return OfDeclared(file, nil) }

// OfDeclared is Of for a text with an encoding that is declared outside of it, unless declared is nil.
func OfDeclared(file []byte, declared encoding.Encoding) encoding.Encoding {
	for _, find := range []func([]byte) encoding.Encoding{byMark, wideWithoutMark, sevenBit} {
		if charset := find(file); charset != nil {
			return charset
		}
	}
	if utf8.Valid(file) && !looksLikeUTF8(file) {
		return cmp.Or[encoding.Encoding](declared, simplifiedchinese.GB18030)
	}
	if declared == nil {
		declared = declaredCharset(file)
	}
	s := survey{declared: declared}
	s.add(trimIncomplete(file))
	return s.charset()
}

var (
	declaration     = regexp.MustCompile(`(?i)(?:charset|coding)\s*[=:]\s*["']?([a-z0-9_-]+)`)
	metaDeclaration = regexp.MustCompile(`(?i)<meta\s[^>]*charset\s*=\s*["']?([a-z0-9_-]+)`)
)

// declaredCharset returns the encoding that the first lines of XML or source code or the head of a page
// declare, or nil.
func declaredCharset(file []byte) encoding.Encoding {
	found := metaDeclaration.FindSubmatch(file[:min(len(file), metaSize)])
	if found == nil {
		found = declaration.FindSubmatch(file[:min(len(file), 1024)])
	}
	if found == nil {
		return nil
	}
	charset, err := htmlindex.Get(string(found[1]))
	if err != nil || charset == unicode.UTF8 {
		return nil
	}
	return charset
}

// byMark returns the encoding of a byte-order mark, or nil if there is none.
func byMark(head []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")):
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return encoding.Nop
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

// CutRune returns the incomplete character at the end of data, if any.
func CutRune(data []byte) []byte {
	for i := len(data) - 1; i >= max(0, len(data)-utf8.UTFMax); i-- {
		if utf8.RuneStart(data[i]) {
			if utf8.FullRune(data[i:]) {
				return nil
			}
			return data[i:]
		}
	}
	return nil
}

// trimIncomplete removes an incomplete character from the end of a UTF-8 text.
func trimIncomplete(file []byte) []byte {
	whole := file[:len(file)-len(CutRune(file))]
	if len(whole) < len(file) && utf8.Valid(whole) && bytes.ContainsFunc(whole, isBeyondASCII) {
		return whole
	}
	return file
}

// survey collects what determines the encoding of a text.
type survey struct {
	declared encoding.Encoding

	good   int // valid multi-byte characters of UTF-8
	broken int // bytes that are not valid UTF-8
	sample []byte
}

func (s *survey) add(data []byte) {
	if utf8.Valid(data) {
		for _, b := range data {
			if b >= 0xC0 {
				s.good++
			}
		}
		return
	}
	s.addSample(data)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			s.broken++
		case size > 1:
			s.good++
		}
		data = data[size:]
	}
}

// addSample adds the lines with characters beyond ASCII to the sample, up to its size.
func (s *survey) addSample(data []byte) {
	for line := range bytes.Lines(data) {
		room := sampleSize - len(s.sample)
		if room <= 0 {
			return
		}
		if bytes.ContainsFunc(line, isBeyondASCII) {
			s.sample = append(s.sample, line[:min(room, len(line))]...)
		}
	}
}

func (s *survey) charset() encoding.Encoding {
	if s.broken == 0 || s.good > tolerance*s.broken {
		return encoding.Nop
	}
	if s.declared != nil && decodes(s.declared, s.sample) {
		return s.declared
	}
	return likeliest(s.sample)
}

func isBeyondASCII(r rune) bool { return r >= utf8.RuneSelf }

// decodes reports whether a sample has almost no errors in an encoding.
func decodes(charset encoding.Encoding, sample []byte) bool {
	decoded, err := charset.NewDecoder().Bytes(sample)
	if err != nil {
		return false
	}
	good, broken := 0, 0
	for _, r := range string(decoded) {
		switch {
		case r == utf8.RuneError:
			broken++
		case isBeyondASCII(r):
			good++
		}
	}
	return broken == 0 || good > tolerance*broken
}
