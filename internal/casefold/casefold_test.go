package casefold_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"parley/internal/casefold"
)

func TestTextsThatDifferOnlyInCaseOrCompositionHaveOneKey(t *testing.T) {
	for _, same := range [][]string{
		{"Ferry", "FERRY", "ferry"},
		{"Ärger", "A\u0308RGER", "a\u0308rger"},
		{"Straße", "STRASSE", "strasse", "STRAẞE"},
		{"Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ"},
		{"\u0390", "\u03aa\u0301"},                             // a small letter without a precomposed capital
		{"\u1fb4", "\u03b1\u0345\u0301", "\u03b1\u0301\u0345"}, // marks out of their order
		{"ﬁ", "FI", "fi"},
		{"한글", norm.NFD.String("한글")},
		{"Ꭰ", "ꭰ"},
		{"Ᏸ", "ᏸ"},
		{"渡船", "渡船"},
		{"🚢", "🚢"},
	} {
		for _, text := range same[1:] {
			if casefold.Key(text) != casefold.Key(same[0]) {
				t.Errorf("%q has the key %q, %q has %q", same[0], casefold.Key(same[0]), text, casefold.Key(text))
			}
		}
	}
}

func TestTextsThatDifferOtherwiseHaveDifferentKeys(t *testing.T) {
	for _, pair := range [][2]string{{"e", "é"}, {"i", "ı"}, {"i", "İ"}, {"a b", "ab"}, {"か", "が"}} {
		if casefold.Key(pair[0]) == casefold.Key(pair[1]) {
			t.Errorf("%q and %q have one key, %q", pair[0], pair[1], casefold.Key(pair[0]))
		}
	}
}

// This checks every letter that can have a case, and every mark.
func TestTheKeyOfAKeyIsItself(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) || unicode.In(r, unicode.Han, unicode.Hangul) {
			continue
		}
		key := casefold.Key(string(r))
		if casefold.Key(key) != key {
			t.Errorf("%U has the key %+q, which has the key %+q", r, key, casefold.Key(key))
		}
		if other := unicode.SimpleFold(r); casefold.Key(string(other)) != key {
			t.Errorf("%U has the key %+q, %U differs in case only and has %+q", r, key, other, casefold.Key(string(other)))
		}
	}
}

// Letters that Key folds by itself must come out as by the slow and complete way.
func TestEveryCharacterIsFoldedAsUnicodeSays(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsGraphic(r) || unicode.In(r, unicode.Han, unicode.Hangul, unicode.Cherokee) {
			continue
		}
		composed := norm.NFC.String(string(r))
		want := norm.NFC.String(cases.Fold().String(composed))
		if got := casefold.Key(string(r)); got != want {
			t.Errorf("%U has the key %+q, want %+q", r, got, want)
		}
	}
}

func TestFindGivesTheCharactersThatHoldTheKey(t *testing.T) {
	long := strings.Repeat("渡船", 5000)
	for _, c := range []struct {
		text, keyword, want string
	}{
		{"the FERRY leaves", "ferry", "FERRY"},
		{"去卡普里岛的渡船", "渡", "渡"},
		{"去卡普里岛的渡船", "岛的", "岛的"},
		{"before 🚢 after", "🚢", "🚢"},
		{"👩‍👩‍👧 family", "👩‍👧", "👩‍👧"},
		{"Cafe\u0301 au lait", "é A", "e\u0301 a"},
		{"Hauptstraße 7", "STRASSE", "straße"},
		{"Hauptstraße 7", "trас", ""},
		{"Maß", "s", "ß"},
		{"Maß nehmen", "ass n", "aß n"},
		{"İstanbul", "i", "İ"},
		{"in İstanbul", "İST", "İst"},
		{"ΟΔΥΣΣΕΥΣ", "οδυσσευς", "ΟΔΥΣΣΕΥΣ"},
		{"the ŉ letter", "n", "ŉ"},
		{"nothing here", "absent", ""},
		{long + "Maß" + long, "ass", "aß"},
	} {
		start, end, ok := casefold.Find(c.text, casefold.Key(c.keyword))
		if ok != (c.want != "") {
			t.Errorf("%q in %.40q: found is %v", c.keyword, c.text, ok)
			continue
		}
		if c.text[start:end] != c.want {
			t.Errorf("%q in %.40q is at %q, want %q", c.keyword, c.text, c.text[start:end], c.want)
		}
	}
}

func TestFindGivesTheFirstPlace(t *testing.T) {
	start, end, _ := casefold.Find("Maß und mass", "ss")
	if start != 2 || end != 4 {
		t.Errorf("found at %d to %d", start, end)
	}
}

func TestFindCostsNoMoreThanInProportion(t *testing.T) {
	cost := func(repeat int) float64 {
		text := strings.Repeat("e\u0301 渡船 ß ", repeat) + "end"
		return testing.AllocsPerRun(3, func() { casefold.Find(text, "end") })
	}
	small, large := cost(2000), cost(8000)
	if large > 6*small {
		t.Errorf("%v allocations for a text, %v for one four times as long", small, large)
	}
}

// Pieces of a long text are folded by themselves, so the key may lie across two of them.
func TestAKeyIsFoundAtEveryPlaceOfALongText(t *testing.T) {
	const piece = 32 << 10
	for _, letter := range []string{"x", "渡", "e\u0301"} {
		for shift := range 12 {
			text := strings.Repeat(letter, 2*piece/len(letter))
			for _, at := range []int{0, piece/len(letter) - shift, 2*piece/len(letter) - shift} {
				at *= len(letter)
				long := text[:at] + "Maß E\u0301" + text[at:]
				start, end, ok := casefold.Find(long, "mass \u00e9")
				if !ok || start != at || end != at+len("Maß E\u0301") || !casefold.Contains(long, "mass \u00e9") {
					t.Errorf("%d bytes of %q before: found is %v, at %d to %d", at, letter, ok, start, end)
				}
			}
			if casefold.Contains(text, "mass \u00e9") {
				t.Errorf("found in %q alone", letter)
			}
		}
	}
}

// A long text is folded in pieces, and not beyond the first occurrence.
func TestContainsNeedsLittleMemory(t *testing.T) {
	text := "渡船 " + strings.Repeat("去卡普里岛的渡船 ", 200_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := casefold.Contains(text, "渡船")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; !found || n > uint64(len(text))/10 {
		t.Errorf("found is %v; %d bytes allocated for the start of a text of %d", found, n, len(text))
	}
}

func FuzzFind(f *testing.F) {
	f.Add("The Ferry to Capri", "ferry")
	f.Add("去卡普里岛的渡船", "普里")
	f.Add("ß\u0345\u0301 İ ΑΣ ẞ e\u0301 한글 \u1100\u1161\u11a8 ŉ ΐ ᾳ", "ss")
	f.Add("a"+strings.Repeat("\u0345\u0301", 40), "a")
	f.Add(strings.Repeat("x", 5000)+"\u0301é", "é")
	f.Add(strings.Repeat("x", 32<<10)+"\u0301é", "\u0301e\u0301")
	f.Fuzz(func(t *testing.T, text, keyword string) {
		if !utf8.ValidString(text) || !utf8.ValidString(keyword) {
			return
		}
		key := casefold.Key(keyword)
		start, end, ok := casefold.Find(text, key)
		if ok != strings.Contains(casefold.Key(text), key) {
			t.Fatalf("%q in %q: found is %v", key, text, ok)
		}
		if !ok {
			return
		}
		if !utf8.ValidString(text[:start]) || !utf8.ValidString(text[start:end]) {
			t.Errorf("%q in %q: %d to %d cuts a character", key, text, start, end)
		}
		if !strings.Contains(casefold.Key(text[start:end]), key) {
			t.Errorf("%q in %q: %q does not hold it", key, text, text[start:end])
		}
		if at := strings.Index(casefold.Key(text), key); len(casefold.Key(text[:start])) > at {
			t.Errorf("%q in %q: %d is not the first place", key, text, start)
		}
	})
}
