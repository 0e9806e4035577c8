// Package grams is the data of the keyword search: which pieces of text lead to which
// texts, in blocks that a database can keep without understanding them.
//
// At each place of a text begins one gram: five letters from a to z, three characters of
// other alphabets, two where a character is a word or a syllable by itself (Chinese,
// Korean), and fewer where white space or the end comes first. Sorted grams stand right
// after what they begin with, so one range finds all places of a short keyword.
//
// A longer word of the letters a to z is a gram as a whole, too. Longer keywords are such
// words, or their beginnings, more often than not, and then the text need not be read.
package grams

import (
	"slices"
	"strings"
	"unicode"
)

// Gram is the characters at a place of a text, the first one in the highest bits, with
// 21 bits for each of three. Where these are letters, the third stands for itself and
// for the letters after it, by a number that is no character. Grams sort as their
// characters do.
type Gram uint64

const (
	runeBits = 21
	noRune   = 0x110000 // the first number that is no character
	// letterReach is how many letters a gram has at most. With more, short keywords have
	// to look at more grams; with fewer, long ones find more that does not hold them.
	letterReach = 5
)

// of makes a gram of up to three characters, or of up to letterReach letters.
func of(runes []rune) (g Gram) {
	for i, r := range runes[:min(len(runes), 2)] {
		g |= Gram(r) << (runeBits * (2 - i))
	}
	switch {
	case len(runes) < 3:
		return g
	case reachOfLetters(runes) >= 3:
		return g | (noRune + spell(runes[2:], letterReach-2))
	default:
		return g | Gram(runes[2])
	}
}

// spell is letters as a number with n digits, one for each letter, of which none is 0.
func spell(letters []rune, n int) (number Gram) {
	for i := range n {
		number *= letterBase
		if i < len(letters) {
			number += Gram(letters[i]-'a') + 1
		}
	}
	return number
}

// letterBase is the number of letters, and one for none.
const letterBase = 27

// spellings is how many numbers with n digits there are.
func spellings(n int) Gram {
	count := Gram(1)
	for range n {
		count *= letterBase
	}
	return count
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' }

// reachOfLetters is how many letters a text begins with, up to those of a gram.
func reachOfLetters(text []rune) int {
	n := 0
	for n < len(text) && n < letterReach && letter(text[n]) {
		n++
	}
	return n
}

// reach is how many characters the gram at the beginning of a text takes in: none at
// white space.
func reach(text []rune) int {
	if len(text) == 0 || unicode.IsSpace(text[0]) {
		return 0
	}
	if len(text) == 1 || unicode.IsSpace(text[1]) {
		return 1
	}
	if n := reachOfLetters(text); n >= 3 {
		return n
	}
	if len(text) == 2 || !alphabetic(text[0]) || !alphabetic(text[1]) || !alphabetic(text[2]) || unicode.IsSpace(text[2]) {
		return 2
	}
	return 3
}

// alphabetic tells the scripts of few characters, in which pairs are too frequent to
// lead anywhere, from those of thousands.
func alphabetic(r rune) bool {
	const firstIdeographic = 0x2E80 // the CJK radicals
	return r < firstIdeographic
}

// Of lists the grams of a text in order, each once. The text is given as its fold.Key.
func Of(folded string) []Gram {
	all := gramsIn(folded)
	slices.Sort(all)
	return slices.Compact(all)
}

// gramsIn lists the grams of a text as they come.
func gramsIn(folded string) []Gram {
	text := []rune(folded)
	all := make([]Gram, 0, len(text)+len(text)/4)
	letters := 0 // how many stand right before
	for i, r := range text {
		if n := reach(text[i:]); n > 0 {
			all = append(all, of(text[i:i+n]))
		}
		if letter(r) {
			letters++
			continue
		}
		all = appendWord(all, text[i-letters:i])
		letters = 0
	}
	return appendWord(all, text[len(text)-letters:])
}

// Range is the grams from one to another, both included.
type Range struct{ First, Last Gram }

// beginning is the grams that begin as a gram of these characters does.
func beginning(runes []rune) Range {
	first := of(runes)
	if n := len(runes); n >= 3 {
		return Range{first, first + spellings(letterReach-n) - 1}
	}
	free := runeBits * (3 - len(runes))
	return Range{first, first | (1<<free - 1)}
}

// Query is what to look for to find the texts that hold a keyword.
type Query struct {
	// Need is ranges such that a text which holds the keyword has a gram in each.
	Need []Range
	// Exact says that every text which has these holds the keyword.
	Exact bool
	// Enough is a range such that a text with a gram in it holds the keyword; it may
	// be empty.
	Enough Range
}

// ForKeyword makes the query for a keyword, which is given as its fold.Key and is not
// blank.
func ForKeyword(key string) Query {
	var q Query
	for _, field := range strings.Fields(key) {
		word := []rune(field)
		covered := 0
		for i := range word {
			rest := word[i:]
			n := reach(rest)
			if i+n == covered {
				continue // the gram before holds these characters too
			}
			covered = i + n
			if n == len(rest) && (n < 3 || reachOfLetters(rest) == n) { // the text may go on
				q.Need = append(q.Need, beginning(rest))
			} else {
				q.Need = append(q.Need, Range{of(rest[:n]), of(rest[:n])})
			}
		}
	}
	q.Exact = len(q.Need) == 1 && !strings.ContainsFunc(key, unicode.IsSpace)
	q.Need = few(q.Need)
	q.Enough = wordsFrom(key)
	return q
}

// few leaves out some ranges of a long keyword: what is found is looked at anyway.
func few(ranges []Range) []Range {
	const most = 6
	if len(ranges) <= most {
		return ranges
	}
	some := make([]Range, 0, most)
	for i := range most {
		some = append(some, ranges[i*(len(ranges)-1)/(most-1)])
	}
	return some
}
