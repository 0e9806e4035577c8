package pdf

import (
	"math/bits"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// pageNeedsOCR reports whether the text layer of a page does not say what the page shows.
func pageNeedsOCR(text string) bool {
	return !strings.ContainsFunc(text, prose.IsVisible) || unusable(text)
}

// Shares above which a text layer is not text.
const (
	maxControl  = 0.1  // of control and replacement characters
	maxPrivate  = 0.3  // of characters for private use, such as symbols
	maxMixed    = 0.3  // of letters after one of another script
	maxAccented = 0.6  // of Latin letters outside of ASCII
	minVowels   = 0.08 // of ASCII letters; English has 0.4, hexadecimal digits have 0.33
	enough      = 60   // letters; with fewer, shares say nothing
	manyLetters = 12   // different ones; a table of units such as "kg" has fewer
)

// unusable reports whether a text is not what its page shows, because a font does not say which
// characters its glyphs are: a reader that has only their numbers makes up a text.
func unusable(text string) bool {
	counts := countLetters(characterIDs.ReplaceAllLiteralString(text, "\ufffd"))
	visible := float64(counts.visible)
	if float64(counts.control) > maxControl*visible || float64(counts.private) > maxPrivate*visible {
		return true
	}
	if counts.letters < enough {
		return false
	}
	all := float64(counts.letters)
	if float64(counts.accented) > maxAccented*all || float64(counts.mixed) > maxMixed*all {
		return true
	}
	return counts.ascii >= enough && float64(counts.ascii) > all/2 && bits.OnesCount64(counts.distinct) >= manyLetters &&
		float64(counts.vowels) < minVowels*float64(counts.ascii)
}

// characterIDs matches how some writers put a glyph that they can't name.
var characterIDs = regexp.MustCompile(`\(cid:\d+\)`)

type letterCounts struct {
	visible, control, private int
	letters, accented, mixed  int
	ascii, vowels             int
	distinct                  uint64 // a bit for each ASCII letter
}

func countLetters(text string) letterCounts {
	var c letterCounts
	for word := range strings.FieldsSeq(text) {
		if first, size := utf8.DecodeRuneInString(word); size == len(word) && unicode.Is(unicode.Co, first) {
			continue // the mark of a list item
		}
		c.add(word)
	}
	return c
}

func (c *letterCounts) add(word string) {
	var script *unicode.RangeTable // of the letter before
	for _, r := range word {
		c.visible++
		switch {
		case unicode.Is(unicode.Co, r):
			c.private++
		case charset.IsJunk(r) || !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			c.control++
		}
		if !unicode.IsLetter(r) {
			continue
		}
		c.letters++
		before := script
		script = scriptOf(r)
		if before != nil && before != script {
			c.mixed++
		}
		switch {
		case r < utf8.RuneSelf:
			c.ascii++
			c.distinct |= 1 << (r - 'A')
			if strings.ContainsRune("aeiouyAEIOUY", r) {
				c.vowels++
			}
		case script == unicode.Latin && r < '\uff00': // above are wide forms
			c.accented++
		}
	}
}

// scriptOf returns the script of a letter. Scripts that are written together count as one. Scripts that are rare in
// documents count as one, too.
func scriptOf(r rune) *unicode.RangeTable {
	if r < utf8.RuneSelf {
		return unicode.Latin
	}
	for _, script := range []*unicode.RangeTable{
		unicode.Latin, unicode.Han, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew,
		unicode.Hangul, unicode.Thai, unicode.Devanagari,
	} {
		if unicode.Is(script, r) {
			return script
		}
	}
	if unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) || r == '\u30fc' {
		return unicode.Han
	}
	return unicode.Common
}
