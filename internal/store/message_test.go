package store

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"parley"
)

func TestPagesOfMessagesAreRangesOfNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		page := func(number, size int64) []string {
			t.Helper()
			messages, total, err := w.Messages(t.Context(), user, session, parley.Page{Number: number, Size: size})
			w.must(err)
			if total != 6 && total != 0 {
				t.Errorf("the total is %d", total)
			}
			contents := []string{}
			for _, m := range messages {
				contents = append(contents, m.Content)
			}
			return contents
		}
		if got := page(1, 10); len(got) != 0 {
			t.Errorf("an empty session has %v", got)
		}
		for i := range 3 {
			w.say(user, session, numbered("q", i), numbered("r", i))
		}
		for _, c := range []struct {
			number, size int64
			want         []string
		}{
			{1, 2, []string{"q 0", "r 0"}},
			{2, 4, []string{"q 2", "r 2"}},
			{2, 5, []string{"r 2"}},
			{3, 5, []string{}},
			{1_000_000_000_000_000_000, 200, []string{}},
		} {
			if got := page(c.number, c.size); !slices.Equal(got, c.want) {
				t.Errorf("page %d of %d: %v, want %v", c.number, c.size, got, c.want)
			}
		}
		after, total, err := w.MessagesAfter(t.Context(), user, session, 3, 5, "")
		w.must(err)
		if total != 6 {
			t.Errorf("the total is %d", total)
		}
		if len(after) != 2 || after[0].Content != "r 1" {
			t.Errorf("after the third: %+v", after)
		}
	})
}

func TestDetailsComeBackAsTheyWere(t *testing.T) {
	for _, details := range []parley.Details{
		{},
		{Model: parley.ModelBasic, Thinking: "hm \"x\" <y>", ThinkingMS: 12},
		{
			Sources: []parley.Source{{Title: "渡船", URL: "https://example.com/?a=1&b=2"}},
			Files:   []parley.Passage{{FileID: "f", Filename: "n", Anchor: "page 3", Text: "t"}},
		},
	} {
		text, err := encodeDetails(details)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeDetails(text)
		if err != nil || !reflect.DeepEqual(got, details) {
			t.Errorf("%+v became %+v, %v", details, got, err)
		}
		if (text == "") != (details.Model == "" && details.Sources == nil) {
			t.Errorf("%+v is stored as %q", details, text)
		}
	}
}

// Earlier versions stored <, > and & as escapes, and the order of the members has never changed.
func TestDetailsWithEscapesOfEarlierVersionsAreDecoded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		w.say(user, session, "q", "r")
		want := parley.Details{Thinking: "a < b & c", Usage: &parley.Usage{InputTokens: 3}}
		now, err := encodeDetails(want)
		w.must(err)
		before, err := json.Marshal(want)
		w.must(err)
		for _, stored := range []string{now, string(before)} {
			w.run(`UPDATE messages SET details = '` + stored + `' WHERE role = 'assistant'`)
			messages, _, err := w.Messages(t.Context(), user, session, parley.Page{Number: 1, Size: 2})
			w.must(err)
			if kept := messages[1].Stored; kept != now && stored == now || kept != "" && stored != now {
				t.Errorf("%s is passed on as %q", stored, kept)
			}
			if got, err := messages[1].Decode(); err != nil || !reflect.DeepEqual(got.Details, want) {
				t.Errorf("%s is read as %+v, %v", stored, got.Details, err)
			}
		}
	})
}
