package rank

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzTerms compares the tokenizer with a count of characters: no character is lost or used twice. Two texts joined by
// a space have the terms of both.
func FuzzTerms(f *testing.F) {
	f.Add("The last ferries to Capri, 19:30", "去卡普里岛的渡船。")
	f.Add("naïve Ｆｕｌｌ ｗｉｄｔｈ ßßß", "ラーメン한글ไทย")
	f.Add("\xff\xfea", "a\u0301\u0345")
	f.Fuzz(func(t *testing.T, first, second string) {
		want := 0
		for run := range runs(first) {
			n := utf8.RuneCountInString(run.text)
			if n == 0 {
				t.Fatal("an empty run")
			}
			for _, r := range run.text {
				if c := classOf(r); c == gap || (c == denseClass) != run.dense {
					t.Fatalf("%q does not belong in the run %q", r, run.text)
				}
			}
			if want++; run.dense {
				want += 2*n - 2 // each character, and each two
			}
		}
		one := slices.Collect(terms(first))
		if len(one) != want {
			t.Fatalf("%q has %d terms, want %d", first, len(one), want)
		}
		both := slices.Collect(terms(first + " " + second))
		if !slices.Equal(both, slices.Concat(one, slices.Collect(terms(second)))) {
			t.Fatalf("%q and %q are not the terms of both", first, second)
		}
	})
}
