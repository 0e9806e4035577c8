package eml

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// otherNames are what messages call encodings and browsers don't.
var otherNames = map[string]encoding.Encoding{
	"utf8mb4":    unicode.UTF8,
	"hz-gb-2312": simplifiedchinese.HZGB2312,
	"cp936":      simplifiedchinese.GBK,
	"ms936":      simplifiedchinese.GBK,
	"euc-cn":     simplifiedchinese.GBK,
	"cn-gb":      simplifiedchinese.GBK,
	"cn-big5":    traditionalchinese.Big5,
	"cp950":      traditionalchinese.Big5,
	"cp932":      japanese.ShiftJIS,
	"cp949":      korean.EUCKR,
	"cp850":      charmap.CodePage850,
	"ibm850":     charmap.CodePage850,
	"cp852":      charmap.CodePage852,
	"ibm852":     charmap.CodePage852,
	"cp437":      charmap.CodePage437,
	"ibm437":     charmap.CodePage437,
	"iso-latin1": charmap.Windows1252,
	"western":    charmap.Windows1252,
}

// encodingOf returns the encoding that a message calls so, or nil. US-ASCII says nothing about the bytes beyond it, and
// a text in UTF-16 is recognized without a declaration.
func encodingOf(charset string) encoding.Encoding {
	charset = strings.ToLower(strings.TrimSpace(charset))
	charset = strings.TrimPrefix(charset, "charset=") // charset="charset=utf-8"
	switch charset {
	case "us-ascii", "ascii", "ansi_x3.4-1968", "utf-16", "utf-16le", "utf-16be":
		return nil
	}
	if found := otherNames[charset]; found != nil {
		return found
	}
	found, err := htmlindex.Get(charset)
	if err != nil || found == encoding.Replacement {
		return nil
	}
	return found
}

// decodeAs decodes a text in a charset, unless it does not know that. Programs that declare another one than they write
// mostly write UTF-8.
func decodeAs(charset string, text []byte) (decoded string, known bool) {
	if isUTF7(charset) {
		return string(decodeUTF7(text)), true
	}
	found := encodingOf(charset)
	switch {
	case found == nil:
		return "", false
	case isUTF8(text):
		return string(text), true
	}
	bytes, err := found.NewDecoder().Bytes(text)
	return string(bytes), err == nil
}

// isUTF8 reports whether a text is in UTF-8 and could hardly be in another encoding too.
func isUTF8(text []byte) bool {
	const enough = 6 // bytes beyond ASCII: two Han characters
	beyond := 0
	for _, b := range text {
		if b >= utf8.RuneSelf {
			beyond++
		}
	}
	return beyond >= enough && utf8.Valid(text)
}

func isUTF7(charset string) bool {
	charset = strings.ToLower(charset)
	return charset == "utf-7" || charset == "utf7" || charset == "unicode-1-1-utf-7"
}

// decodeUTF7 decodes UTF-7: between a plus sign and the next sign outside of base64, often a minus sign, the text is
// base64 of UTF-16.
func decodeUTF7(text []byte) []byte {
	var decoded []byte
	for len(text) > 0 {
		if text[0] != '+' {
			decoded = append(decoded, text[0])
			text = text[1:]
			continue
		}
		end := 1
		for end < len(text) && isBase64(text[end]) {
			end++
		}
		decoded = append(decoded, shifted(text[1:end])...)
		text = text[end:]
		if len(text) > 0 && text[0] == '-' {
			text = text[1:]
		}
	}
	return decoded
}

// shifted decodes base64 of UTF-16. Nothing at all is a plus sign.
func shifted(signs []byte) []byte {
	if len(signs) == 0 {
		return []byte("+")
	}
	wide, _ := base64.RawStdEncoding.AppendDecode(nil, signs) // spare bits at the end do not make a character
	decoded, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Bytes(wide[:len(wide)&^1])
	if err != nil {
		return nil
	}
	return decoded
}

func isBase64(b byte) bool {
	return 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '+' || b == '/'
}
