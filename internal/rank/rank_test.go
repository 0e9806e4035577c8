package rank

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var ferries = []string{
	"The harbor of Naples lies below the castle.",
	"The last ferry from Naples to Capri leaves at seven in the evening.",
	"Children under six travel free of charge.",
	"前往卡普里岛的第一班渡轮早上九点出发。",
	"票价为二十三欧元，儿童半价。",
	"カプリ島行きの最初のフェリーは午前九時に出発します。",
	"카프리로 가는 첫 번째 페리는 아홉 시에 출발합니다.",
	"Первый паром на Капри отправляется в девять часов.",
	"Le café du port ferme à minuit.",
	"小猫在船上睡觉。",
}

func TestBestFindsWhatFits(t *testing.T) {
	for question, want := range map[string]int{
		"When does the LAST ferry to Capri leave?": 1,
		"Do children travel for free?":             2,
		"渡轮几点出发？":                                  3,
		"儿童的票价是多少":                                 4,
		"最初のフェリーは何時に出発しますか":                        5,
		"첫 번째 페리":                                  6,
		"паром на Капри":                           7,
		"When does the cafe close? A CAFÉ":         8,
		"猫在哪里":                                     9,
	} {
		hits := Best(NewQuery(question), 1, ferries)
		if len(hits) != 1 || hits[0].Part != want {
			t.Errorf("%q: got %+v, want text %d", question, hits, want)
		}
	}
}

func TestBestOfNothingIsNothing(t *testing.T) {
	for _, question := range []string{"", "?!", "what is the", "的是吗", "xylophone", "竖琴"} {
		if hits := Best(NewQuery(question), 5, ferries); len(hits) > 0 {
			t.Errorf("%q: got %+v", question, hits)
		}
	}
	if hits := Best(NewQuery("ferry"), 5, nil); len(hits) > 0 {
		t.Errorf("without texts: got %+v", hits)
	}
	if hits := Best(NewQuery("ferry"), 0, ferries); len(hits) > 0 {
		t.Errorf("with n = 0: got %+v", hits)
	}
}

func TestARareWordOutweighsAUsualOne(t *testing.T) {
	texts := []string{"ferry harbor", "ferry ferry ferry", "ferry", "ferry boat", "lighthouse keeper"}
	hits := Best(NewQuery("ferry lighthouse"), 9, texts)
	if len(hits) != 5 || hits[0].Part != 4 {
		t.Errorf("got %+v", hits)
	}
}

func TestShareSaysHowMuchOfTheQuestionIsThere(t *testing.T) {
	tests := []struct {
		question, text string
		want           float64
	}{
		{"When does the last ferry leave?", "The last ferry leaves at seven.", 1},
		{"When does the last ferry leave?", "The first ferry is green.", 1. / 3},
		{"ferries and ferry", "One ferry.", 1},
		{"意大利的首都是哪里", "意大利的渡轮", 3. / 5},
		{"渡轮", "轮渡", 0},
		{"书在哪里", "一本书。", 1},
		{"ferry 渡轮", "渡轮", 1. / 2},
		{"what is it?", "what is it?", 0},
	}
	for _, tt := range tests {
		q := NewQuery(tt.question)
		if got := q.Share(tt.text); got != tt.want {
			t.Errorf("%q in %q: got %v, want %v", tt.question, tt.text, got, tt.want)
		}
		for _, hit := range Best(q, 1, []string{tt.text}) {
			if hit.Share != tt.want {
				t.Errorf("%q in %q: a hit with %v, want %v", tt.question, tt.text, hit.Share, tt.want)
			}
		}
	}
}

func TestWithinKnowsWhatSaysNoMore(t *testing.T) {
	question := NewQuery("Tell me about the ferry to Capri 渡轮")
	for text, want := range map[string]bool{
		"The ferry":           true,
		"":                    true,
		"capri? FERRIES! 渡轮":  true,
		"The ferry is green.": false,
		"渡轮九点":                false,
	} {
		if got := NewQuery(text).Within(question); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestALongQuestionIsBounded(t *testing.T) {
	var question strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&question, "word%d 渡%c ", i, rune(0x4E00+i%5000))
	}
	q := NewQuery(question.String())
	if len(q.terms) > maxTerms || q.places > maxPlaces {
		t.Errorf("%d terms, %d places", len(q.terms), q.places)
	}
}

func TestSearchComparesHitsOfSeveralDocuments(t *testing.T) {
	var sailing, cooking []string
	for range 20 {
		sailing = append(sailing, "The ferry sails.")
		cooking = append(cooking, "Soup is cooked for hours and hours on a slow fire.")
	}
	sailing[7] = "The ferry timetable: nine."
	cooking[3] = "The cook once took a ferry, and wrote at length about the soup that he had there."
	first, second := indexOf(sailing), indexOf(cooking)
	hits := Search(NewQuery("ferry timetable"), 3, first, second)
	if len(hits) != 3 || hits[0].Index != 0 || hits[0].Part != 7 || hits[1].Index != 0 {
		t.Errorf("got %+v", hits)
	}
	alone := Search(NewQuery("soup"), 100, first, second)
	if len(alone) != 20 || slices.ContainsFunc(alone, func(h Hit) bool { return h.Index != 1 }) {
		t.Errorf("got %d hits, %+v", len(alone), alone[0])
	}
}

func indexOf(texts []string) *Index {
	text := strings.Join(texts, "\n")
	var spans []Span
	at := 0
	for _, t := range texts {
		spans = append(spans, Span{at, at + len(t)})
		at += len(t) + 1
	}
	return NewIndex(text, spans)
}

func TestHitsSayWhereTheyStand(t *testing.T) {
	text := strings.Join(ferries, "\n")
	hits := Search(NewQuery("last ferry"), 1, indexOf(ferries))
	if len(hits) != 1 || hits[0].Span.Of(text) != ferries[1] {
		t.Errorf("got %+v", hits)
	}
}

func TestAKeptIndexFindsTheSame(t *testing.T) {
	x := indexOf(ferries)
	data, err := x.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var again Index
	if err := again.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if again.Len() != len(ferries) {
		t.Errorf("%d parts", again.Len())
	}
	for _, question := range append(ferries, "Capri", "九点") {
		q := NewQuery(question)
		want := Search(q, 5, x)
		if len(want) == 0 {
			t.Errorf("%q finds nothing", question)
		}
		if diff := cmp.Diff(want, Search(q, 5, &again)); diff != "" {
			t.Errorf("%q: %s", question, diff)
		}
	}
}

func TestTheSameTextGivesTheSameBytes(t *testing.T) {
	first, err := indexOf(ferries).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	second, err := indexOf(ferries).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, second) {
		t.Error("they differ")
	}
}

func TestBrokenBytesAreNoIndex(t *testing.T) {
	data, err := indexOf(ferries).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string][]byte{
		"none":           nil,
		"cut":            data[:headerSize+20],
		"another kind":   append([]byte("PNG\x01"), data[4:]...),
		"another form":   append([]byte("PRX\x02"), data[4:]...),
		"endless parts":  append([]byte("PRX\x01\xff\xff\xff\xff"), data[8:]...),
		"endless tables": append([]byte("PRX\x01\xff\xff\xff\xff\xff\xff\xff\xff"), data[12:]...),
	} {
		var x Index
		if err := x.UnmarshalBinary(broken); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzIndex(f *testing.F) {
	data, err := indexOf(ferries).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "last ferry 渡轮")
	f.Add(data[:len(data)-9], "ferry")
	f.Add([]byte(magic), "ferry")
	text := strings.Join(ferries, "\n")
	f.Fuzz(func(t *testing.T, data []byte, question string) {
		var x Index
		if x.UnmarshalBinary(data) != nil {
			return
		}
		for _, hit := range Search(NewQuery(question), 10, &x) {
			_ = hit.Span.Of(text)
			if hit.Part >= x.Len() || hit.Share < 0 || hit.Share > 1 {
				t.Errorf("got %+v", hit)
			}
		}
	})
}

func TestCentralPrefersWhatTheTextIsAbout(t *testing.T) {
	texts := []string{
		"The weather was fine.",
		"The ferry to Capri leaves from the harbor.",
		"Somebody whistled.",
		"A ferry ticket to Capri is sold at the harbor.",
		"The harbor of Capri is small.",
	}
	if got := Central(texts, 2); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("got %v", got)
	}
	if got := Central(nil, 2); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// prose makes a text of about size bytes with a realistic distribution of words.
func prose(size int, word func(n uint64) string, space string) string {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.2, 4, 50_000)
	var b strings.Builder
	for words := 1; b.Len() < size; words++ {
		b.WriteString(word(zipf.Uint64()))
		switch {
		case words%120 == 0:
			b.WriteString(".\n\n")
		case words%12 == 0:
			b.WriteString(". ")
		default:
			b.WriteString(space)
		}
	}
	return b.String()
}

func english(size int) string {
	return prose(size, func(n uint64) string { return fmt.Sprintf("w%xord", n) }, " ")
}

func chinese(size int) string {
	return prose(size, func(n uint64) string { return string([]rune{rune(0x4E00 + n%3000), rune(0x4E00 + n*7%3000)}) }, "")
}

const large = 20 << 20

func BenchmarkIndexing(b *testing.B) {
	for name, text := range map[string]string{"english": english(large), "chinese": chinese(large)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				NewIndex(text, Passages(text, 1000))
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for name, text := range map[string]string{"english": english(large), "chinese": chinese(large)} {
		data, err := NewIndex(text, Passages(text, 1000)).MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		question := string([]rune(text)[500_000:500_060])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var x Index
				if err := x.UnmarshalBinary(data); err != nil {
					b.Fatal(err)
				}
				if len(Search(NewQuery(question), 20, &x)) == 0 {
					b.Fatal("nothing found")
				}
			}
			b.ReportMetric(float64(len(data))/float64(len(text)), "index/text")
		})
	}
}
