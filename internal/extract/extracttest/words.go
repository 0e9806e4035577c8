package extracttest

import (
	"strings"
	"unicode"
)

// CountWords counts the words of a text. A Han character is a word.
func CountWords(text string) map[string]int {
	counts := make(map[string]int)
	spaced := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return ' '
	}, text)
	for word := range strings.FieldsSeq(spaced) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			for _, r := range word {
				counts[string(r)]++
			}
			continue
		}
		counts[word]++
	}
	return counts
}

// Total returns the number of words that were counted.
func Total(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}
