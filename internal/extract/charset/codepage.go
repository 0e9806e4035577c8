package charset

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// DefaultCodePage is the code page of a document that names none.
const DefaultCodePage = 1252

// CodePage returns the encoding of a Windows code page.
func CodePage(number int) encoding.Encoding {
	switch number {
	case 932:
		return japanese.ShiftJIS
	case 936, 54936:
		return simplifiedchinese.GB18030
	case 949:
		return korean.EUCKR
	case 950:
		return traditionalchinese.Big5
	case 65001:
		return unicode.UTF8
	case 437:
		return charmap.CodePage437
	case 850:
		return charmap.CodePage850
	case 866:
		return charmap.CodePage866
	case 874:
		return charmap.Windows874
	case 1250:
		return charmap.Windows1250
	case 1251:
		return charmap.Windows1251
	case 1253:
		return charmap.Windows1253
	case 1254:
		return charmap.Windows1254
	case 1255:
		return charmap.Windows1255
	case 1256:
		return charmap.Windows1256
	case 1257:
		return charmap.Windows1257
	case 1258:
		return charmap.Windows1258
	case 10000:
		return charmap.Macintosh
	}
	return charmap.Windows1252
}
