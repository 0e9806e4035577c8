package quote

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// FuzzMarked compares the quotes of a text with those that a regular expression finds.
func FuzzMarked(f *testing.F) {
	for _, text := range []string{
		"", `"`, `""a"`, `say "a" or “b”`, "「a」『b』«c»", "„a“ „b”", "“a\nb” “c”", `“"a"`, `"a „b“ c"`, "«„x”«„x”",
		`"a""b"`, "“”a”", "„”a“", "\"\n\"a\"",
	} {
		f.Add(text)
	}
	pattern := regexp.MustCompile(`"([^"\n]+)"|“([^”\n]+)”|「([^」\n]+)」|『([^』\n]+)』|«([^»\n]+)»|„([^“”\n]+)[“”]`)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		var want []span
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			for group := 2; group < len(at); group += 2 {
				if at[group] >= 0 {
					want = append(want, span{at[group], at[group+1]})
				}
			}
		}
		if got := marked(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	})
}

// TestMarksWithoutPartnersAreReadOnce has marks without partners around quotes, in one line of the greatest length that
// is searched. If each mark read on to the end of the line, the test would take an hour.
func TestMarksWithoutPartnersAreReadOnce(t *testing.T) {
	for _, part := range []string{`“"a"`, "«„x”", "「'"} {
		text := strings.Repeat(part, maxReply/len(part))
		for range 20 {
			if Any(text) {
				t.Fatalf("%q has a quote", part)
			}
		}
	}
}
