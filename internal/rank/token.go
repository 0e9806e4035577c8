package rank

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// term is a word, or one or two characters of a dense script: one without spaces between
// words.
type term uint64

// isDense marks the terms of dense scripts, which hold their characters.
const isDense term = 1 << 63

func denseTerm(first, second rune) term {
	return isDense | term(first)<<21 | term(second)
}

// wordTerm returns the term of a normalized word, its FNV-1a hash.
func wordTerm(normal string) term {
	h := uint64(14695981039346656037)
	for i := range len(normal) {
		h = (h ^ uint64(normal[i])) * 1099511628211
	}
	return term(h) &^ isDense
}

// terms yields all terms of a text: its words, and of dense scripts every character and
// every pair of adjacent ones.
func terms(text string) iter.Seq[term] {
	return func(yield func(term) bool) {
		for run := range runs(text) {
			if !run.dense {
				if !yield(wordTerm(normalize(run.text))) {
					return
				}
				continue
			}
			last := rune(0)
			for _, r := range run.text {
				if last != 0 && !yield(denseTerm(last, r)) || !yield(denseTerm(r, 0)) {
					return
				}
				last = r
			}
		}
	}
}

// run is a word, or a sequence of characters of a dense script.
type run struct {
	text  string
	dense bool
}

type class int

const (
	gap class = iota
	wordClass
	denseClass
)

func runs(text string) iter.Seq[run] {
	return func(yield func(run) bool) {
		start, current := 0, gap
		for i, r := range text {
			c := classOf(r)
			if c == current {
				continue
			}
			if current != gap && !yield(run{text[start:i], current == denseClass}) {
				return
			}
			start, current = i, c
		}
		if current != gap {
			yield(run{text[start:], current == denseClass})
		}
	}
}

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return wordClass
		}
		return gap
	case isCommonPunctuation(r):
		return gap
	case isDenseScript(r):
		return denseClass
	case unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark):
		return wordClass
	}
	return gap
}

// isCommonPunctuation and the first cases of isDenseScript avoid the slow Unicode tables
// for most texts.
func isCommonPunctuation(r rune) bool {
	return 0x2010 <= r && r <= 0x2064 || 0x3001 <= r && r <= 0x3003 ||
		0x3008 <= r && r <= 0x301F || 0xFF01 <= r && r <= 0xFF0F
}

func isDenseScript(r rune) bool {
	const prolonged = 'ー' // part of Japanese words, but of no script
	switch {
	case r < 0x0E00:
		return false
	case 0x4E00 <= r && r <= 0x9FFF, 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA,
		0xAC00 <= r && r <= 0xD7A3, r == prolonged:
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// normalize returns the common form of words that differ only in case, accents, width or
// an English plural.
func normalize(word string) string {
	if !isASCII(word) {
		word = strings.Map(dropAccent, norm.NFKD.String(word))
	}
	return singular(strings.ToLower(word))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func dropAccent(r rune) rune {
	if 0x0300 <= r && r <= 0x036F {
		return -1
	}
	return r
}

// singular removes the ending of an English plural, or of a verb in the third person.
func singular(word string) string {
	n := len(word)
	if n < 4 || word[n-1] != 's' || word[n-2] == 's' || word[n-2] == 'u' || word[n-2] == 'i' {
		return word
	}
	if strings.HasSuffix(word, "ies") {
		return word[:n-3] + "y"
	}
	for _, ending := range []string{"sses", "shes", "ches", "xes", "zes"} {
		if strings.HasSuffix(word, ending) {
			return word[:n-2]
		}
	}
	return word[:n-1]
}
