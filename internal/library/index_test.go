package library

import (
	"bytes"
	"strings"
	"testing"

	"parley/internal/extract/prose"
	"parley/internal/rank"
)

func TestAPassageIsFoundOnItsPage(t *testing.T) {
	pages := []string{"The ferry leaves at nine.\n\n", "The cat is called Palinuro.\n\n", "灯塔看守人的猫名叫帕利努罗。"}
	document := prose.Document{Text: strings.Join(pages, ""), Anchors: prose.Anchors{
		{Offset: 0, Name: "page 1"},
		{Offset: len(pages[0]), Name: "page 2"},
		{Offset: len(pages[0] + pages[1]), Name: "page 4"},
	}}
	made, err := Index(document)
	if err != nil {
		t.Fatal(err)
	}
	x, err := openIndex(bytes.NewReader(made), int64(len(made)))
	if err != nil {
		t.Fatal(err)
	}
	anchors, err := x.readAnchors()
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"When does the ferry leave?": "page 1",
		"Who is Palinuro?":           "page 2",
		"灯塔看守人是谁":                    "page 4",
	} {
		hits := rank.Search(rank.NewQuery(question), 1, x.words)
		if len(hits) != 1 || anchors.At(hits[0].Span.Start) != want ||
			strings.TrimSpace(hits[0].Span.Of(document.Text)) == strings.TrimSpace(document.Text) {
			t.Errorf("%s: got %+v, want one on %s", question, hits, want)
		}
	}
}

func TestAMissingIndexFindsNothing(t *testing.T) {
	x, err := openIndex(bytes.NewReader(nil), 0)
	if err != nil || x.words != nil {
		t.Errorf("got %+v, %v", x, err)
	}
	if anchors, err := x.readAnchors(); err != nil || anchors != nil {
		t.Errorf("got %v, %v", anchors, err)
	}
}

func FuzzReadIndex(f *testing.F) {
	made, err := Index(prose.Document{
		Text:    "The ferry leaves at nine.",
		Anchors: prose.Anchors{{Offset: 0, Name: "page 1"}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(made)
	f.Add([]byte{200})
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := openIndex(bytes.NewReader(data), int64(len(data)))
		if err != nil || x.words == nil {
			return
		}
		rank.Search(rank.NewQuery("ferry"), 1, x.words)
		if anchors, err := x.readAnchors(); err == nil {
			anchors.At(3)
		}
	})
}
