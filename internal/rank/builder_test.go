package rank

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestAnIndexCountsEveryTermOfEveryPart(t *testing.T) {
	for name, text := range map[string]string{
		"english": english(200_000),
		"chinese": chinese(200_000),
		"mixed":   strings.Join(ferries, "\n\n"),
		"none":    "",
	} {
		t.Run(name, func(t *testing.T) {
			parts := Passages(text, 1000)
			want := map[term]map[int]uint64{}
			for i, part := range parts {
				for term := range allTerms(part.Of(text)) {
					if want[term] == nil {
						want[term] = map[int]uint64{}
					}
					want[term][i]++
				}
			}
			x := NewIndex(text, parts)
			var order []term
			for i := range x.terms {
				term, _, err := x.entry(i)
				if err != nil {
					t.Fatal(err)
				}
				order = append(order, term)
			}
			if !slices.Equal(order, slices.Sorted(maps.Keys(want))) {
				t.Fatalf("%d terms, or not in order; want %d", len(order), len(want))
			}
			for _, term := range order {
				place, err := x.find(term)
				if err != nil {
					t.Fatal(err)
				}
				list, err := x.readList(place, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := maps.Collect(list.all()); list.parts != len(want[term]) || !maps.Equal(got, want[term]) {
					t.Fatalf("term %x is in %d parts, %v; want %v", term, list.parts, got, want[term])
				}
			}
		})
	}
}

// A word can have the hash 0, and an attacker can search for one.
func TestNoTermIsTakenForAFreeSlot(t *testing.T) {
	v := newVocabulary()
	for i := range 5000 {
		if s := v.slot(term(i)); s.number != uint32(i+1) {
			t.Fatalf("term %d has number %d", i, s.number)
		}
	}
	for i := range 5000 {
		if s := v.slot(term(i)); s.number != uint32(i+1) {
			t.Fatalf("term %d has number %d later", i, s.number)
		}
	}
	if got := v.sorted(); len(got) != 5000 || got[0] != 0 || !slices.IsSorted(got) {
		t.Errorf("%d terms, the first is %d", len(got), got[0])
	}
}

func TestTheShortWayKnowsTheSameCharacters(t *testing.T) {
	for r := rune(0x80); r <= 0xFFFF; r++ {
		want := gap
		switch {
		case r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			want = denseClass
		case unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark):
			want = wordClass
		}
		if got := classOf(r); got != want {
			t.Errorf("%U is of class %d, want %d", r, got, want)
		}
	}
}
