package api_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
)

func TestHits(t *testing.T) {
	shared(t, []part{
		{"a search lists titles, messages and files", aSearchListsTitlesMessagesAndFiles},
		{"a hit marks its match", aHitMarksItsMatch},
		{"a hit says whether its session is archived", aHitSaysWhetherItsSessionIsArchived},
		{"a search refuses what it can't look for", aSearchRefusesWhatItCantLookFor},
		{"a message that is set aside is not found", aMessageThatIsSetAsideIsNotFound},
	})
}

func aSearchListsTitlesMessagesAndFiles(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session, other := w.session(ada, "Ferry plans"), w.session(ada, "Trains")
	sent := w.say(ada, session, "Which FERRY?")
	w.say(ada, other, "Which train?")
	long := strings.Repeat("nothing of the kind\n", 10_000) + "the last ferry leaves\n"
	file, err := ada.Upload(ctx, other, "notes.txt", strings.NewReader(long))
	w.must(err)
	named, err := ada.Upload(ctx, session, "ferry.txt", strings.NewReader("09:00"))
	w.must(err)
	search := func(in parley.Search) string {
		w.Helper()
		out, err := ada.Search(ctx, in, parley.Page{})
		w.must(err)
		kinds := []string{}
		for _, hit := range out.Hits {
			kinds = append(kinds, hit.Kind+" "+hit.MessageID+hit.FileID)
		}
		if out.Total != int64(len(out.Hits)) {
			w.Errorf("%+v: %d of %d", in, len(out.Hits), out.Total)
		}
		return strings.Join(kinds, "\n")
	}
	all := "file " + named.FileID + "\nfile " + file.FileID + "\nmessage " + sent.AIResponse.ID + "\nmessage " +
		sent.UserMessageID + "\ntitle "
	for _, stage := range []string{"just stored", "indexed"} {
		for _, test := range []struct {
			in   parley.Search
			want string
		}{
			{parley.Search{Text: "ferry"}, all},
			{parley.Search{Text: "ferry", In: []string{"files"}}, "file " + named.FileID + "\nfile " + file.FileID},
			{parley.Search{Text: "ferry", SessionID: other}, "file " + file.FileID},
			{parley.Search{Text: "last ferry", In: []string{"messages", "files"}}, "file " + file.FileID},
			{parley.Search{Text: "plans", In: []string{"titles"}}, "title "},
			{parley.Search{Text: "plans", In: []string{"titles"}, SessionID: other}, ""},
			{parley.Search{Text: "nothing at all"}, ""},
		} {
			if got := search(test.in); got != test.want {
				w.Errorf("%s: %+v finds\n%s\nwant\n%s", stage, test.in, got, test.want)
			}
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
	w.must(ada.DeleteFile(ctx, file.FileID))
	if got := search(parley.Search{Text: "last ferry", In: []string{"files"}}); got != "" {
		w.Errorf("found after it was deleted: %s", got)
	}
}

func aHitMarksItsMatch(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "Straßen")
	w.say(ada, session, "去卡普里的\n渡船 🚢 几点开?")
	for text, want := range map[string]string{"渡船": "渡船", "STRASSE": "Straße", "船 🚢": "船 🚢"} {
		out, err := ada.Search(w.Context(), parley.Search{Text: text}, parley.Page{Number: 1, Size: 200})
		w.must(err)
		if len(out.Hits) == 0 {
			w.Errorf("%q finds nothing", text)
		}
		for _, hit := range out.Hits {
			runes := []rune(hit.Snippet)
			if got := string(runes[hit.Match.Start : hit.Match.Start+hit.Match.Length]); got != want {
				w.Errorf("%q: %+v marks %q", text, hit, got)
			}
			if hit.SessionID != session || hit.SessionTitle != "Straßen" || hit.Timestamp == 0 {
				w.Errorf("%q: %+v", text, hit)
			}
		}
	}
}

func aHitSaysWhetherItsSessionIsArchived(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	for _, title := range []string{"A ferry", "An old ferry"} {
		session := w.session(ada, title)
		w.say(ada, session, "Which ferry?")
		_, err := ada.Upload(ctx, session, "ferry.txt", strings.NewReader("09:00"))
		w.must(err)
		archived := title == "An old ferry"
		w.must(ada.UpdateSession(ctx, session, parley.UpdateSessionInput{Archived: &archived}))
	}
	out, err := ada.Search(ctx, parley.Search{Text: "ferry"}, parley.Page{})
	w.must(err)
	if out.Total != 8 {
		w.Errorf("there are %d hits, want 8", out.Total)
	}
	for _, hit := range out.Hits {
		if hit.Archived != (hit.SessionTitle == "An old ferry") {
			w.Errorf("%+v", hit)
		}
	}
	left := w.request("GET", "/api/search?q=A%20ferry", "", as(ada))
	if strings.Contains(left.text, "archived") {
		w.Errorf("the response says archived of a session that is not: %s", left.text)
	}
}

func aSearchRefusesWhatItCantLookFor(w *world) {
	ada := w.user("ada")
	const path = "/api/search"
	w.play(ada, []scenario{
		{name: "no text", method: "GET", path: path, status: 400, code: 1001, says: "q is required"},
		{name: "a blank text", method: "GET", path: path + "?q=%20", status: 400, code: 1001, says: "q must not be blank"},
		{
			name: "a long text", method: "GET", path: path + "?q=" + strings.Repeat("x", 1001), status: 400, code: 1001,
			says: "q must be at most 1000 characters",
		},
		{name: "broken text", method: "GET", path: path + "?q=%ff", status: 400, code: 1001, says: "q must be valid text"},
		{
			name: "an unknown kind", method: "GET", path: path + "?q=x&in=titles,moods", status: 400, code: 1001,
			says: "in must be a list of titles, messages and files",
		},
		{
			name: "an unknown session", method: "GET", path: path + "?q=x&session_id=nonsense", status: 404, code: 2001,
			says: "the session does not exist",
		},
		{name: "page 0", method: "GET", path: path + "?q=x&page=0", status: 400, code: 1001, says: "page must be"},
		{name: "a page past the end", method: "GET", path: path + "?q=x&page=1000000000000000000", status: 200},
	})
}

func aMessageThatIsSetAsideIsNotFound(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "Plans")
	sent := w.say(ada, session, "The tortoise")
	_, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "The hare", Replaces: sent.UserMessageID})
	w.must(err)
	for _, stage := range []string{"just stored", "indexed"} {
		for text, want := range map[string]int64{"tortoise": 0, "hare": 2} {
			out, err := ada.Search(ctx, parley.Search{Text: text}, parley.Page{})
			w.must(err)
			if out.Total != want {
				w.Errorf("%s: %q has the hits %s", stage, text, fmt.Sprint(out))
			}
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
	}
}
