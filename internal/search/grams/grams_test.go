package grams_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/internal/casefold"
	"parley/internal/search/grams"
)

// letters are few, which makes keywords occur often, and of many scripts.
var letters = []rune("aAbBßcdxyz ẞsSkKéÉe\u0301iİıΣσς渡船岛🚢한글 \n\u3000%_\"*^")

func texts() *rapid.Generator[string] { return rapid.StringOfN(rapid.SampledFrom(letters), 0, 40, -1) }

func keywords() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom(letters), 1, 14, -1).
		Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
}

// checkKeyword compares the grams of a text with the plain search for a keyword.
func checkKeyword(t interface{ Errorf(string, ...any) }, text, keyword string) {
	text, key := casefold.Key(text), casefold.Key(keyword)
	query := grams.ForKeyword(key)
	has := grams.Of(text)
	within := func(r grams.Range) bool {
		return slices.ContainsFunc(has, func(g grams.Gram) bool { return r.First <= g && g <= r.Last })
	}
	all := true
	for _, r := range query.Need {
		all = all && within(r)
	}
	contains := strings.Contains(text, key)
	if contains && !all {
		t.Errorf("%q contains %q, but lacks some of its grams %x", text, key, query.Need)
	}
	if (query.Exact && all || within(query.Enough)) && !contains {
		t.Errorf("%q matches the query for %q, but does not contain it", text, key)
	}
	if len(query.Need) == 0 {
		t.Errorf("%q has no grams", key)
	}
}

func TestATextThatHoldsAKeywordHasItsGrams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkKeyword(t, texts().Draw(t, "text"), keywords().Draw(t, "keyword")) })
}

func FuzzKeyword(f *testing.F) {
	f.Add("The Ferry to Capri", "ferry")
	f.Add("去卡普里岛的渡船", "渡")
	f.Add("a b", " b")
	f.Add("aaa", "aa")
	f.Add("Straße", "SS")
	f.Add("ab渡c", "b渡")
	f.Fuzz(func(t *testing.T, text, keyword string) {
		// What the API takes: valid text without NUL, and no blank keyword.
		for _, s := range []string{text, keyword} {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				return
			}
		}
		if strings.TrimSpace(keyword) == "" {
			return
		}
		checkKeyword(t, text, keyword)
	})
}

func TestGramsAreEnoughForShortKeywords(t *testing.T) {
	for key, want := range map[string]bool{
		"a": true, "渡": true, "🚢": true, "ab": true, "aa": true, "渡船": true, "abc": true, "aaa": true,
		"abcd": true, "aaaaa": true, "éèê": true, "a渡": true, "渡a": true, "שלו": true, "한글": true,
		"abcdef": true, "abcdefg": false, "aaaaaaa": false, "don't": false, "éèêé": false, "渡船岛": false, "ab渡": false,
		"a b": false, " a": false, "a ": false, "ab ": false, "\u3000渡": false, "a a": false,
	} {
		if exact := grams.ForKeyword(key).Exact; exact != want {
			t.Errorf("%q: exact is %v", key, exact)
		}
	}
}

func TestALongKeywordIsLookedForInFewPlaces(t *testing.T) {
	if need := grams.ForKeyword(strings.Repeat("the quick brown fox ", 50)).Need; len(need) > 6 {
		t.Errorf("%d ranges", len(need))
	}
}

func TestAWordThatBeginsWithTheKeywordIsEnough(t *testing.T) {
	for _, c := range []struct {
		text, key string
		want      bool
	}{
		{"the ferries leave", "ferries", true},
		{"two ferrymen", "ferryme", true},
		{"(ferryboats)", "ferryboats", true},
		{"the incomprehensibilities", "incomprehensi", true},
		{"zzzzzzzzzzzzzzzz", "zzzzzzzzzzzzz", true},
		{"the airports", "irports", false},                     // it contains it, but not at the beginning of a word
		{"the incomprehensibilities", "incomprehensib", false}, // longer than a gram
		{"the ferry", "ferry", false},                          // found without
		{"the ferry", "the ferry", false},
		{"渡船ferries", "ferries", true},
		{"ferrier", "ferries", false},
	} {
		enough := grams.ForKeyword(c.key).Enough
		got := slices.ContainsFunc(grams.Of(c.text), func(g grams.Gram) bool { return enough.First <= g && g <= enough.Last })
		if got != c.want {
			t.Errorf("%q in %q: enough is %v", c.key, c.text, got)
		}
	}
}
