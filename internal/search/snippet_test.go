package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/internal/casefold"
	"parley/internal/search"
)

func TestASnippetShowsTheMatch(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ text, keyword, want string }{
		{"The ferry leaves", "FERRY", "The ferry leaves"},
		{long + " ferry " + long, "ferry", "…" + long[:59] + " ferry " + long[:59] + "…"},
		{
			strings.Repeat("岛", 100) + "渡船" + strings.Repeat("岛", 100), "渡船",
			"…" + strings.Repeat("岛", 60) + "渡船" + strings.Repeat("岛", 60) + "…",
		},
		{"one\n\n two\t\tthree", "two", "one two three"},
		{"🚢🚢 ship", "ship", "🚢🚢 ship"},
		{"Cafe\u0301 noir", "é", "Cafe\u0301 noir"},
		{"Hauptstraße", "STRASSE", "Hauptstraße"},
		{"İstanbul", "i", "İstanbul"},
		{"ΟΔΥΣΣΕΥΣ", "ς", "ΟΔΥΣΣΕΥΣ"},
	} {
		if got := search.Snippet(c.text, casefold.Key(c.keyword)); got != c.want {
			t.Errorf("%q in %.30q: %q, want %q", c.keyword, c.text, got, c.want)
		}
	}
}

func TestASnippetIsShortAndHoldsTheKeyword(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keyword := keywords().Draw(t, "keyword")
		text := strings.Join(rapid.SliceOfN(texts(), 1, 10).Draw(t, "before"), "") + keyword + texts().Draw(t, "after")
		key := casefold.Key(keyword)
		if !strings.Contains(casefold.Key(text), key) {
			return // it has combined with the characters beside it
		}
		got := search.Snippet(text, key)
		spaceless := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if !strings.Contains(spaceless(casefold.Key(got)), spaceless(key)) {
			t.Errorf("%q of %q does not hold %q", got, text, keyword)
		}
		if n := utf8.RuneCountInString(got); n > 150 || !utf8.ValidString(got) {
			t.Errorf("%q is %d characters long", got, n)
		}
	})
}
