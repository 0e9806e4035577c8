// Package casefold compares texts regardless of case and of Unicode composition.
package casefold

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key returns the form in which texts are compared: texts that differ only in case or
// composition have the same key.
func Key(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(cases.Fold().String(strings.Map(cherokee, norm.NFC.String(s))))
}

// cherokee converts small Cherokee letters to capitals, because cases.Fold swaps the two
// instead of folding one to the other.
func cherokee(r rune) rune {
	switch {
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 8
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Find returns the byte offsets in text of the first occurrence of a key. They lie between
// characters: if the key starts or ends within the folded form of a character (the first
// s of ß), the whole character is included.
func Find(text, key string) (start, end int, ok bool) {
	at := strings.Index(Key(text), key)
	if at < 0 {
		return 0, 0, false
	}
	if isASCII(text) || key == "" {
		return at, at + len(key), true
	}
	first := position{}.skip(text, at, coarse).skip(text, at, fine)
	last := at + len(key) - 1
	end = boundary(text, first.skip(text, last, coarse).skip(text, last, fine).at+fine)
	return first.at, end, true
}

// Sizes of the pieces that are skipped at a time. Large ones are faster to fold.
const (
	coarse = 4096
	fine   = 1
)

// position is an offset in a text, and the length of the key of the text before it.
type position struct {
	at     int
	folded int
}

// skip advances by pieces of about size bytes, up to the piece whose key covers the given
// offset of the text's key.
func (p position) skip(text string, offset, size int) position {
	for p.at < len(text) {
		next := boundary(text, p.at+size)
		folded := p.folded + len(Key(text[p.at:next]))
		if folded > offset {
			break
		}
		p = position{at: next, folded: folded}
	}
	return p
}

// boundary returns the first offset at or after from where the two parts of the text fold
// independently.
func boundary(text string, from int) int {
	for at := from; at < len(text); at++ {
		if utf8.RuneStart(text[at]) && norm.NFC.PropertiesString(text[at:]).BoundaryBefore() {
			return at
		}
	}
	return len(text)
}
