package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// charset is an encoding that a text may have without saying so.
type charset struct {
	name    string // as the detector calls it
	charset encoding.Encoding
	prior   float64 // the logarithm of how likely it is before a text is seen
	even    bool    // every character beyond ASCII has an even number of bytes beyond ASCII

	alphabets []alphabet // the languages of an encoding with one byte per character
	common    string     // the common characters of an encoding with several bytes per character
	kana      bool
	hangul    bool
}

// charsets returns the encodings that are guessed. Of two that are equally likely, the first is taken.
func charsets() []charset {
	japaneseText := kana + kanji
	return []charset{
		{name: "GB-18030", charset: simplifiedchinese.GB18030, prior: 3, common: simplifiedHanzi},
		{name: "Big5", charset: traditionalchinese.Big5, common: traditionalHanzi},
		{name: "Shift_JIS", charset: japanese.ShiftJIS, common: japaneseText, kana: true},
		{name: "EUC-JP", charset: japanese.EUCJP, common: japaneseText, kana: true, even: true},
		{name: "EUC-KR", charset: korean.EUCKR, common: hangul, hangul: true},
		{name: "ISO-8859-1", charset: charmap.Windows1252, alphabets: westEuropean},
		{name: "windows-1251", charset: charmap.Windows1251, alphabets: cyrillic},
		{name: "windows-1250", charset: charmap.Windows1250, prior: -1, alphabets: centralEuropean},
		{name: "windows-1253", charset: charmap.Windows1253, prior: -1, alphabets: greek},
		{name: "windows-1254", charset: charmap.Windows1254, prior: -1, alphabets: turkish},
		{name: "windows-1255", charset: charmap.Windows1255, prior: -1, alphabets: hebrew},
		{name: "windows-1256", charset: charmap.Windows1256, prior: -1, alphabets: arabic},
		{name: "windows-1257", charset: charmap.Windows1257, prior: -2, alphabets: baltic},
		{name: "windows-874", charset: charmap.Windows874, prior: -1, alphabets: thai},
		{name: "KOI8-R", charset: charmap.KOI8R, prior: -1, alphabets: cyrillic},
		{name: "KOI8-U", charset: charmap.KOI8U, prior: -2, alphabets: cyrillic},
		{name: "ISO-8859-2", charset: charmap.ISO8859_2, prior: -1.5, alphabets: centralEuropean},
		{name: "ISO-8859-4", charset: charmap.ISO8859_4, prior: -4, alphabets: baltic},
		{name: "ISO-8859-5", charset: charmap.ISO8859_5, prior: -2, alphabets: cyrillic},
		{name: "ISO-8859-6", charset: charmap.ISO8859_6, prior: -2, alphabets: arabic},
		{name: "ISO-8859-7", charset: charmap.ISO8859_7, prior: -2, alphabets: greek},
		{name: "ISO-8859-8", charset: charmap.ISO8859_8, prior: -2, alphabets: hebrew},
		{name: "ISO-8859-13", charset: charmap.ISO8859_13, prior: -4, alphabets: baltic},
		{name: "ISO-8859-15", charset: charmap.ISO8859_15, prior: -2.5, alphabets: westEuropean},
		{name: "ISO-8859-16", charset: charmap.ISO8859_16, prior: -4, alphabets: centralEuropean},
		{name: "IBM866", charset: charmap.CodePage866, prior: -3, alphabets: cyrillic},
		{name: "IBM850", charset: charmap.CodePage850, prior: -4, alphabets: westEuropean},
		{name: "IBM852", charset: charmap.CodePage852, prior: -5, alphabets: centralEuropean},
		{name: "macintosh", charset: charmap.Macintosh, prior: -4, alphabets: westEuropean},
		{name: "x-mac-cyrillic", charset: charmap.MacintoshCyrillic, prior: -4, alphabets: cyrillic},
	}
}

// isMark reports whether a character is a mark that texts in many languages have.
func isMark(r rune) bool {
	return strings.ContainsRune("“”„‘’‚–—…«»°§€©®№·•™£\u00a0\u00ad", r)
}

// isWideMark reports whether a character is a mark of Chinese, Japanese or Korean texts.
func isWideMark(r rune) bool {
	return strings.ContainsRune("，。、；：？！“”‘’（）《》「」『』【】〈〉·…—～￥　・ー－％", r) ||
		'０' <= r && r <= '９' || 'Ａ' <= r && r <= 'Ｚ' || 'ａ' <= r && r <= 'ｚ'
}
