package rtf

import (
	"golang.org/x/text/encoding"

	"parley/internal/extract/charset"
)

// font is a font of the document's table.
type font struct {
	charset encoding.Encoding // nil is the document's
	symbols bool              // its characters are symbols
	name    []byte
}

// Limits of a document's fonts. Those beyond have the document's encoding.
const (
	maxFonts    = 10_000
	maxFontName = 32
)

// symbolCharset is the number of fonts whose characters are symbols.
const symbolCharset = 2

// newFont returns the current font of the font table.
func (r *reader) newFont() *font {
	f := r.fonts[r.font]
	if f == nil {
		f = &font{}
		if len(r.fonts) < maxFonts {
			r.fonts[r.font] = f
		}
	}
	return f
}

// fontNamed adds a character to the name of the current font.
func (r *reader) fontNamed(c byte) {
	if f := r.fonts[r.font]; f != nil && c != ';' && len(f.name) < maxFontName {
		f.name = append(f.name, c)
	}
}

func (f *font) setCharset(number int) {
	pages := map[int]int{
		77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
		177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250,
	}
	f.symbols = number == symbolCharset
	f.charset = nil
	if page, ok := pages[number]; ok {
		f.charset = charset.CodePage(page)
	}
}

// nameOf returns the name of a font, if it is known.
func (f *font) nameOf() string {
	if f == nil {
		return ""
	}
	return string(f.name)
}

// decode returns the text of bytes in the current font.
func (r *reader) decode(bytes []byte) (string, error) {
	f := r.group().font
	if f != nil && f.symbols {
		text := make([]rune, len(bytes))
		for i, code := range bytes {
			text[i] = charset.Symbol(f.nameOf(), code)
		}
		return string(text), nil
	}
	decoder := r.charset
	if f != nil && f.charset != nil {
		decoder = f.charset
	}
	text, err := decoder.NewDecoder().Bytes(bytes)
	return string(text), err
}
