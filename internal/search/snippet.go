package search

import (
	"strings"
	"unicode/utf8"

	"parley/internal/casefold"
)

// Snippet returns the text around the first occurrence of a casefold.Key, on one line.
func Snippet(text, key string) string {
	const around = 60
	start, end, _ := casefold.Find(text, key)
	from, to := start, end
	for n := 0; n < around && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	for n := 0; n < around && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	line := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}
