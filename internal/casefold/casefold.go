// Package casefold compares texts regardless of case and of Unicode composition.
package casefold

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Key returns the form in which texts are compared: texts that differ only in case or
// composition have the same key.
func Key(s string) string { return string(appendKey(nil, s)) }

// appendKey appends the key of a text. ASCII is done in place, which takes less than half the time of strings.ToLower.
func appendKey(to []byte, s string) []byte {
	start := len(to)
	to = append(to, s...)
	for i, c := range to[start:] {
		switch {
		case c >= utf8.RuneSelf:
			return append(to[:start], norm.NFC.String(fold(norm.NFC.String(s)))...)
		case 'A' <= c && c <= 'Z':
			to[start+i] = c + 'a' - 'A'
		}
	}
	return to
}

// fold removes the differences of case.
func fold(s string) string {
	letters := commonLetters()
	var folded strings.Builder
	folded.Grow(len(s))
	for _, r := range s {
		switch {
		case int(r) < len(letters):
			folded.WriteString(letters[r])
		case hasNoCase(r):
			folded.WriteRune(r)
		default:
			folded.WriteString(foldRune(r))
		}
	}
	return folded.String()
}

func foldRune(r rune) string { return cases.Fold().String(string(cherokee(r))) }

// commonLetters returns the folded Latin, Greek and Cyrillic letters, by letter: cases.Fold is slow.
var commonLetters = sync.OnceValue(func() []string {
	letters := make([]string, 0x530)
	for r := range rune(len(letters)) {
		letters[r] = foldRune(r)
	}
	return letters
})

// hasNoCase reports whether a character is one of the common ones without case: punctuation, kana, Han, Hangul.
func hasNoCase(r rune) bool {
	return 0x2000 <= r && r <= 0x206F || 0x3000 <= r && r <= 0x9FFF || 0xAC00 <= r && r <= 0xD7A3 ||
		0xFF00 <= r && r <= 0xFF20
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

// Contains reports whether the key of text contains a key. It folds the text piece by piece
// up to the first occurrence, so it needs little memory for a long text.
func Contains(text, key string) bool {
	_, _, ok := index(text, key)
	return ok
}

// Find returns the byte offsets in text of the first occurrence of a key. They lie between
// characters: if the key starts or ends within the folded form of a character (the first
// s of ß), the whole character is included.
func Find(text, key string) (start, end int, ok bool) {
	at, near, ok := index(text, key)
	if !ok {
		return 0, 0, false
	}
	if isASCII(text) || key == "" {
		return at, at + len(key), true
	}
	first := near.skip(text, at, coarse).skip(text, at, fine)
	last := at + len(key) - 1
	end = Boundary(text, first.skip(text, last, coarse).skip(text, last, fine).at+fine)
	return first.at, end, true
}

// Sizes of the pieces that are folded at a time. Large ones are faster to fold.
const (
	large  = 32 << 10
	coarse = 4096
	fine   = 1
)

// index returns the offset of the first occurrence of a key in the key of text, and the
// position of a piece at or before it.
func index(text, key string) (at int, near position, ok bool) {
	pieces := []position{{}}
	wanted := []byte(key)
	var window []byte // the key of a piece, after the end of the one before, which may hold the start of the occurrence
	for {
		p := pieces[len(pieces)-1]
		next := Boundary(text, p.at+large)
		end := len(window)
		window = appendKey(window, text[p.at:next])
		if i := bytes.Index(window, wanted); i >= 0 {
			at = p.folded - end + i
			for len(pieces) > 1 && pieces[len(pieces)-1].folded > at {
				pieces = pieces[:len(pieces)-1]
			}
			return at, pieces[len(pieces)-1], true
		}
		if next == len(text) {
			return 0, position{}, false
		}
		pieces = append(pieces, position{at: next, folded: p.folded + len(window) - end})
		window = window[:copy(window, window[max(0, len(window)-len(key)+1):])]
	}
}

// position is an offset in a text, and the length of the key of the text before it.
type position struct {
	at     int
	folded int
}

// skip advances by pieces of about size bytes, up to the piece that covers the given offset of the text's key.
func (p position) skip(text string, offset, size int) position {
	for p.at < len(text) {
		next := Boundary(text, p.at+size)
		folded := p.folded + len(Key(text[p.at:next]))
		if folded > offset {
			break
		}
		p = position{at: next, folded: folded}
	}
	return p
}

// Boundary returns the first offset at or after from where the two parts of the text fold
// independently.
func Boundary(text string, from int) int {
	for at := from; at < len(text); at++ {
		if utf8.RuneStart(text[at]) && norm.NFC.PropertiesString(text[at:]).BoundaryBefore() {
			return at
		}
	}
	return len(text)
}
