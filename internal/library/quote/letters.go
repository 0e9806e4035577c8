package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// letters is what of a text is compared: letters and digits only. White space, line ends, case, punctuation and
// emphasis do not matter.
type letters struct {
	text   []byte
	places []int32 // where each byte of text comes from
	lines  []int32 // where lines begin in text
	effort int     // what find may still compare, in bytes
}

// read replaces l by the letters of a text. It reuses the memory.
func (l *letters) read(text string) {
	l.text, l.places, l.lines = l.text[:0], l.places[:0], append(l.lines[:0], 0)
	var last rune
	for i, r := range text {
		switch {
		case r == '\n':
			if n := int32(len(l.text)); l.lines[len(l.lines)-1] != n {
				l.lines = append(l.lines, n)
			}
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			l.add(byte(r), i)
		case 'A' <= r && r <= 'Z':
			l.add(byte(r)+'a'-'A', i)
		case r == '.' && isDigit(last) && isDigit(runeAt(text, i+1)), r == '%', r == '$':
			l.add(byte(r), i)
		case r >= utf8.RuneSelf:
			l.addWide(r, i)
		}
		last = r
	}
}

func (l *letters) add(b byte, place int) {
	l.text, l.places = append(l.text, b), append(l.places, int32(place))
}

// addWide adds a character outside of ASCII without its accents and in its usual form.
func (l *letters) addWide(r rune, place int) {
	if unicode.Is(unicode.Han, r) { // the usual case of a wide character
		l.addRune(r, place)
		return
	}
	for _, part := range norm.NFKD.String(string(r)) {
		if unicode.IsLetter(part) || unicode.IsDigit(part) || unicode.Is(unicode.Sc, part) || part == '%' {
			l.addRune(unicode.ToLower(part), place)
		}
	}
}

func (l *letters) addRune(r rune, place int) {
	var encoded [utf8.UTFMax]byte
	for _, b := range encoded[:utf8.EncodeRune(encoded[:], r)] {
		l.add(b, place)
	}
}

// lettersOf returns the letters of a quote.
func lettersOf(text string) string {
	var l letters
	l.read(text)
	return string(l.text)
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func runeAt(text string, i int) rune {
	if i >= len(text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r
}

// pieces returns the parts of a quote that its text has to have: those between ellipses and
// words in brackets, which the author of the quote has put in.
func pieces(quote string) []string {
	var all []string
	for _, part := range strings.Split(omissions.Replace(insertion.ReplaceAllString(quote, omitted)), omitted) {
		if part := lettersOf(part); len(part) >= minPiece {
			all = append(all, part)
		}
	}
	return all
}
