package charset

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	unicodes "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// wideSample is the number of bytes that show whether a text is in UTF-16 or UTF-32.
const wideSample = 4096

// wideWithoutMark returns the UTF-16 or UTF-32 of a text that has no byte-order mark, or nil if it is
// neither. A text of two bytes can be anything.
func wideWithoutMark(file []byte) encoding.Encoding {
	head := file[:min(len(file), wideSample)]
	if len(head) < 4 || len(file)%2 != 0 || utf8.Valid(head) && !bytes.Contains(head, []byte{0}) {
		return nil
	}
	candidates := []encoding.Encoding{
		unicodes.UTF16(unicodes.LittleEndian, unicodes.IgnoreBOM),
		unicodes.UTF16(unicodes.BigEndian, unicodes.IgnoreBOM),
	}
	if len(file)%4 == 0 {
		candidates = append(candidates,
			utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM))
	}
	for _, charset := range candidates {
		if decoded, err := charset.NewDecoder().Bytes(head); err == nil && isPlausible(string(decoded)) {
			return charset
		}
	}
	return nil
}

// isPlausible reports whether somebody is likely to have written a text: it has no junk, nearly all of it is in the
// scripts that people write, and at least a third are characters that every text in its script has.
func isPlausible(text string) bool {
	models := languageModels()
	total, written, common := 0, 0, 0
	for i, r := range text {
		total++
		switch {
		case r == utf8.RuneError && i+utf8.RuneLen(r) == len(text): // cut
			written++
		case IsJunk(r):
			return false
		case isBeyondASCII(r) && !models.isCommon(r):
			if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
				written++
			}
		default:
			written++
			common++
		}
	}
	return written*20 >= total*19 && common*3 >= total
}

// sevenBit returns the encoding of a text that switches between character sets within seven bits, or nil
// if it does not.
func sevenBit(file []byte) encoding.Encoding {
	head := file[:min(len(file), metaSize)]
	if bytes.ContainsFunc(head, isBeyondASCII) {
		return nil
	}
	switch {
	case bytes.Contains(head, []byte("\x1b$)C")) && bytes.Contains(head, []byte("\x0e")):
		return shiftedKorean{}
	case bytes.Contains(head, []byte("\x1b$B")), bytes.Contains(head, []byte("\x1b$@")):
		return decodingOr(japanese.ISO2022JP, head)
	case bytes.Contains(head, []byte("~{")) && bytes.Contains(head, []byte("~}")):
		return plausibleOr(simplifiedchinese.HZGB2312, head)
	}
	return nil
}

func decodingOr(charset encoding.Encoding, head []byte) encoding.Encoding {
	if decodes(charset, head) {
		return charset
	}
	return nil
}

// plausibleOr returns a charset if a text in it has common characters beyond ASCII, and else nil. The
// marks of HZ can also be part of source code.
func plausibleOr(charset encoding.Encoding, head []byte) encoding.Encoding {
	decoded, err := charset.NewDecoder().Bytes(head)
	if err != nil || !bytes.ContainsFunc(decoded, isBeyondASCII) || !isPlausible(string(decoded)) {
		return nil
	}
	return charset
}

// shiftedKorean is ISO-2022-KR: EUC-KR without its high bits, between the controls SO and SI.
type shiftedKorean struct{ encoding.Encoding }

// NewDecoder returns a decoder to UTF-8.
func (shiftedKorean) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: transform.Chain(&unshifter{}, korean.EUCKR.NewDecoder())}
}

// unshifter turns ISO-2022-KR into EUC-KR.
type unshifter struct {
	shifted bool
	skip    int // remaining bytes of an escape sequence
}

// Reset implements transform.Transformer.
func (u *unshifter) Reset() { *u = unshifter{} }

// Transform implements transform.Transformer.
func (u *unshifter) Transform(dst, src []byte, _ bool) (written, read int, err error) {
	for _, b := range src {
		if written == len(dst) {
			return written, read, transform.ErrShortDst
		}
		switch {
		case b == 0x1b:
			u.skip = 3
		case u.skip > 0:
			u.skip--
		case b == 0x0e, b == 0x0f:
			u.shifted = b == 0x0e
		case u.shifted && b > ' ':
			dst[written] = b | 0x80
			written++
		default:
			dst[written] = b
			written++
		}
		read++
	}
	return written, read, nil
}
