package library

import (
	"strings"
	"testing"

	"parley/internal/extract"
	"parley/internal/rank"
)

func TestAPassageIsFoundOnItsPage(t *testing.T) {
	pages := []string{"The ferry leaves at nine.\n\n", "The cat is called Palinuro.\n\n", "灯塔看守人的猫名叫帕利努罗。"}
	document := extract.Document{Text: strings.Join(pages, ""), Anchors: extract.Anchors{
		{Offset: 0, Name: "page 1"},
		{Offset: len(pages[0]), Name: "page 2"},
		{Offset: len(pages[0] + pages[1]), Name: "page 4"},
	}}
	made, err := Index(document)
	if err != nil {
		t.Fatal(err)
	}
	x, err := readIndex(made)
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"When does the ferry leave?": "page 1",
		"Who is Palinuro?":           "page 2",
		"灯塔看守人是谁":                    "page 4",
	} {
		hits := rank.Search(rank.NewQuery(question), 1, &x.words)
		if len(hits) != 1 || x.anchors.At(hits[0].Span.Start) != want ||
			strings.TrimSpace(hits[0].Span.Of(document.Text)) == strings.TrimSpace(document.Text) {
			t.Errorf("%s: got %+v, want one on %s", question, hits, want)
		}
	}
}

func TestAMissingIndexFindsNothing(t *testing.T) {
	x, err := readIndex(nil)
	if err != nil || len(rank.Search(rank.NewQuery("ferry"), 1, &x.words)) != 0 {
		t.Errorf("got %v", err)
	}
}

func FuzzReadIndex(f *testing.F) {
	made, err := Index(extract.Document{
		Text:    "The ferry leaves at nine.",
		Anchors: extract.Anchors{{Offset: 0, Name: "page 1"}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(made)
	f.Add([]byte{200})
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, err := readIndex(data); err == nil {
			rank.Search(rank.NewQuery("ferry"), 1, &x.words)
			x.anchors.At(3)
		}
	})
}
