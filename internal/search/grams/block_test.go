package grams_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/casefold"
	"parley/internal/search/grams"
)

// block is texts, their grams and pages.
type block struct {
	folded []string
	texts  [][]grams.Gram
	pages  []grams.Page
}

func newBlock(texts ...string) block {
	var b block
	for _, text := range texts {
		b.folded = append(b.folded, casefold.Key(text))
		b.texts = append(b.texts, grams.Of(casefold.Key(text)))
	}
	b.pages = grams.Build(b.folded)
	return b
}

// find finds the texts with a gram in the range as a search does: from the last page that
// begins at or before it.
func (b block) find(t interface{ Errorf(string, ...any) }, r grams.Range) grams.Set {
	found := grams.NewSet(len(b.texts))
	for i, page := range b.pages {
		if page.First > r.Last || i+1 < len(b.pages) && b.pages[i+1].First <= r.First {
			continue
		}
		if err := page.Find(r, found); err != nil {
			t.Errorf("find: %v", err)
		}
	}
	return found
}

// many returns enough texts for several pages and for both encodings of places.
func many() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		some := rapid.SliceOfN(texts(), 1, 20).Draw(t, "some")
		often := rapid.IntRange(1, 20).Draw(t, "often")
		var all []string
		for i := range often {
			for j, text := range some {
				all = append(all, text+strings.Repeat(" 渡船", (i+j)%3)+" "+string(rune('一'+i*31+j)))
			}
		}
		return all
	})
}

func TestABlockFindsWhatItsTextsHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBlock(many().Draw(t, "texts")...)
		query := grams.ForKeyword(casefold.Key(keywords().Draw(t, "keyword")))
		for _, r := range append(query.Need, query.Enough) {
			found := b.find(t, r)
			for place, text := range b.texts {
				has := slices.ContainsFunc(text, func(g grams.Gram) bool { return r.First <= g && g <= r.Last })
				if has != found.Has(place) {
					t.Errorf("%x is in text %d: %v; found: %v", r, place, has, found.Has(place))
				}
			}
		}
	})
}

func TestABlockGivesItsTextsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBlock(many().Draw(t, "texts")...)
		texts, err := grams.Texts(b.pages, len(b.texts))
		if err != nil || !sameTexts(texts, b.texts) {
			t.Errorf("%x became %x: %v", b.texts, texts, err)
		}
	})
}

func sameTexts(a, b [][]grams.Gram) bool { return slices.EqualFunc(a, b, slices.Equal[[]grams.Gram]) }

func TestAMergedBlockIsAsIfMadeAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []grams.Part
		var kept []string
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			b := newBlock(many().Draw(t, "texts")...)
			part := grams.Part{Pages: b.pages}
			for _, text := range b.folded {
				if rapid.IntRange(0, 4).Draw(t, "gone") == 0 {
					part.Places = append(part.Places, -1)
					continue
				}
				part.Places = append(part.Places, len(kept))
				kept = append(kept, text)
			}
			parts = append(parts, part)
		}
		merged, err := grams.Merge(parts, len(kept))
		if want := grams.Build(kept); err != nil || !reflect.DeepEqual(merged, want) {
			t.Errorf("merged: %x, %v; at once: %x", merged, err, want)
		}
	})
}

func TestPagesAreOfModerateSize(t *testing.T) {
	var texts []string
	for i := range 4096 {
		texts = append(texts, string(rune('a'+i%26))+string(rune('一'+i))+" the same everywhere")
	}
	b := newBlock(texts...)
	if len(b.pages) < 5 {
		t.Errorf("%d pages", len(b.pages))
	}
	for _, page := range b.pages {
		if len(page.Data) > 4000 {
			t.Errorf("a page of %d bytes", len(page.Data))
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, page := range newBlock("The ferry", "去卡普里岛的渡船", "ferries").pages {
		f.Add(uint64(page.First), page.Data)
	}
	f.Add(uint64(1), []byte{1, 4, 255, 255})
	f.Add(uint64(1), []byte{0, 3, 255})
	f.Fuzz(func(t *testing.T, first uint64, data []byte) {
		page := grams.Page{First: grams.Gram(first), Data: data}
		_ = page.Find(grams.Range{First: 0, Last: ^grams.Gram(0)}, grams.NewSet(70))
		_, _ = grams.Texts([]grams.Page{page}, 70)
		_, _ = grams.Merge([]grams.Part{
			{Pages: []grams.Page{page, page}, Places: make([]int, 70)},
			{Pages: []grams.Page{page}, Places: []int{-1}},
		}, 1)
	})
}

func TestEntriesAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []grams.Entry
		for range rapid.IntRange(0, 30).Draw(t, "entries") {
			entries = append(entries, grams.Entry{
				Name: grams.Name{
					Session: rapid.SampledFrom([]string{"", "one", "another"}).Draw(t, "session"),
					Number:  rapid.Int64Range(-1000, 1<<40).Draw(t, "number"),
				},
				Time: rapid.Int64().Draw(t, "time"),
			})
		}
		got, err := grams.DecodeEntries(grams.EncodeEntries(entries), len(entries))
		if err != nil || !slices.Equal(got, entries) {
			t.Errorf("%v became %v: %v", entries, got, err)
		}
	})
}

func FuzzEntries(f *testing.F) {
	entry := func(session string, number, time int64) grams.Entry {
		return grams.Entry{Name: grams.Name{Session: session, Number: number}, Time: time}
	}
	f.Add(grams.EncodeEntries([]grams.Entry{entry("s", 1, 7), entry("s", 2, 3), {}, entry("t", 0, 1<<50)}), 4)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		entries, err := grams.DecodeEntries(data, n)
		if err != nil {
			return
		}
		again, err := grams.DecodeEntries(grams.EncodeEntries(entries), n)
		if err != nil || !slices.Equal(again, entries) {
			t.Errorf("%v became %v: %v", entries, again, err)
		}
	})
}
