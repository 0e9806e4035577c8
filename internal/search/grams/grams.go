// Package grams encodes the data of the keyword search: blocks that map pieces of text,
// called grams, to the texts that contain them.
//
// A gram begins at each character of a text. It has six letters from a to z, three characters of other alphabets, two
// of scripts that write a word or a syllable as one character (Chinese, Korean), and fewer if white space or the end of
// the text comes first. Grams with the same beginning are neighbors in sorted order, so one range finds a short
// keyword.
//
// A longer word of the letters a to z is also a gram as a whole. Most longer keywords are
// such words or their beginnings, and then the text need not be read.
package grams

import (
	"slices"
	"strings"
	"unicode"
)

// Gram is up to three characters of a text with 21 bits each, the first one in the highest
// bits. If they are letters, the third is a number above all characters that encodes the
// third letter and those after it. Grams sort like their characters.
type Gram uint64

const (
	runeBits = 21
	noRune   = 0x110000 // the first number that is not a character
	// letterReach is how many letters a gram has at most. With more, short keywords match more grams. With fewer, more
	// keywords are in the middle of words, and then texts must be read. More than six don't fit into a gram.
	letterReach = 6
)

// of returns the gram of up to three characters, or of up to letterReach letters.
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

// spell returns letters as a number with n digits. A letter is a digit from 1, and missing
// letters are 0.
func spell(letters []rune, n int) (number Gram) {
	for i := range n {
		number *= letterBase
		if i < len(letters) {
			number += Gram(letters[i]-'a') + 1
		}
	}
	return number
}

// letterBase is the number of letters plus one for a missing letter.
const letterBase = 27

// spellings returns how many numbers with n digits there are.
func spellings(n int) Gram {
	count := Gram(1)
	for range n {
		count *= letterBase
	}
	return count
}

func letter(r rune) bool { return 'a' <= r && r <= 'z' }

// reachOfLetters returns how many letters a text begins with, up to letterReach.
func reachOfLetters(text []rune) int {
	n := 0
	for n < len(text) && n < letterReach && letter(text[n]) {
		n++
	}
	return n
}

// reach returns the length of the gram at the beginning of a text: 0 at white space.
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
	if len(text) == 2 || unicode.IsSpace(text[2]) || ideographic(text[0]) || ideographic(text[1]) || ideographic(text[2]) {
		return 2
	}
	return 3
}

// ideographic reports whether a character belongs to a script of thousands of characters. Pairs of them are rare enough
// to search for.
func ideographic(r rune) bool {
	const first = 0x2E80 // the CJK radicals
	return r >= first
}

// Of returns the grams of a text in order, each once. The text is given as its casefold.Key.
func Of(folded string) []Gram {
	all := gramsIn(folded)
	slices.Sort(all)
	return slices.Clone(slices.Compact(all)) // about half of them; many texts are in memory at once
}

// gramsIn returns the grams of a text in the order of the text.
func gramsIn(folded string) []Gram {
	text := []rune(folded)
	all := make([]Gram, 0, len(text)+len(text)/4)
	letters := 0 // directly before the character
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

// beginning returns the range of the grams that begin with the characters.
func beginning(runes []rune) Range {
	first := of(runes)
	if n := len(runes); n >= 3 {
		return Range{first, first + spellings(letterReach-n) - 1}
	}
	free := runeBits * (3 - len(runes))
	return Range{first, first | (1<<free - 1)}
}

// Query finds the texts that contain a keyword.
type Query struct {
	// Need is a list of ranges. A text that contains the keyword has a gram in each.
	Need []Range
	// Exact is set if every text with a gram in each range of Need contains the keyword.
	Exact bool
	// Enough is a range, which may be empty. A text with a gram in it contains the keyword.
	Enough Range
}

// ForKeyword returns the query for a keyword, which is given as its casefold.Key and must
// not be blank.
func ForKeyword(key string) Query {
	var q Query
	for _, field := range strings.Fields(key) {
		word := []rune(field)
		covered := 0
		for i := range word {
			rest := word[i:]
			n := reach(rest)
			if i+n == covered {
				continue // the gram before includes these characters
			}
			covered = i + n
			if n == len(rest) && (n < 3 || reachOfLetters(rest) == n) { // a gram of the text may be longer
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

// few returns some of the ranges of a long keyword. Texts that are found are read anyway.
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
