package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
)

func TestHits(t *testing.T) {
	shared(t, []part{
		{"a search lists titles, messages and files", aSearchListsTitlesMessagesAndFiles},
		{"a hit marks its match", aHitMarksItsMatch},
		{"a hit says whether its session is archived", aHitSaysWhetherItsSessionIsArchived},
		{"hits are read on, counted and limited by their time", hitsAreReadOnCountedAndLimitedByTheirTime},
		{"hits are grouped by session", hitsAreGroupedBySession},
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

func hitsAreReadOnCountedAndLimitedByTheirTime(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "Ferry plans")
	for i := range 3 {
		w.say(ada, session, fmt.Sprint("Which ferry, ", i, "?"))
	}
	_, err := ada.Upload(ctx, session, "ferry.txt", strings.NewReader("09:00"))
	w.must(err)
	all, err := ada.Search(ctx, parley.Search{Text: "ferry"}, parley.Page{})
	w.must(err)
	if all.Total != 8 || all.Counts == nil || *all.Counts != (parley.HitCounts{Titles: 1, Messages: 6, Files: 1}) ||
		all.Next != "" || all.Groups != nil || all.Sessions != 0 {
		w.Fatalf("got %+v", all)
	}
	page, err := ada.Search(ctx, parley.Search{Text: "ferry"}, parley.Page{Number: 1, Size: 3})
	w.must(err)
	w.say(ada, w.session(ada, ""), "A ferry in the meantime") // pages by number would move
	rest, err := ada.Search(ctx, parley.Search{Text: "ferry", After: page.Next}, parley.Page{Number: 9, Size: 200})
	w.must(err)
	if read := slices.Concat(page.Hits, rest.Hits); !slices.Equal(read, all.Hits) || rest.Next != "" || rest.Total != 11 {
		w.Errorf("read %+v of %d, want %+v", read, rest.Total, all.Hits)
	}
	first := all.Hits[0].Timestamp
	for _, test := range []struct {
		from, to int64
		found    bool
	}{{from: first, found: true}, {to: first + 60, found: true}, {from: first + 3600}, {to: first - 3600}} {
		in := parley.Search{Text: "ferry", From: test.from, To: test.to}
		out, err := ada.Search(ctx, in, parley.Page{})
		w.must(err)
		if (out.Total > 0) != test.found || (out.Counts != nil) != test.found {
			w.Errorf("%+v: got %+v", test, out)
		}
	}
}

func hitsAreGroupedBySession(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	long, short := w.session(ada, "Ferry plans"), w.session(ada, "Trains")
	w.say(ada, short, "Not by ferry?")
	for range 2 {
		w.say(ada, long, "Which ferry?")
	}
	for _, stage := range []string{"just stored", "indexed"} {
		in := parley.Search{Text: "ferry", Grouped: true}
		var groups []parley.HitGroup
		var hits []string
		for {
			out, err := ada.Search(ctx, in, parley.Page{Number: 1, Size: 1})
			w.must(err)
			if out.Total != 7 || out.Sessions != 2 || len(out.Groups) != 1 {
				w.Errorf("%s: got %+v", stage, out)
			}
			groups = append(groups, out.Groups...)
			for _, hit := range out.Hits {
				hits = append(hits, hit.SessionTitle)
			}
			if in.After = out.Next; in.After == "" {
				break
			}
		}
		if want := []parley.HitGroup{{SessionID: long, Total: 5}, {SessionID: short, Total: 2}}; !slices.Equal(groups, want) {
			w.Errorf("%s: the sessions are %+v", stage, groups)
		}
		if got := strings.Join(hits, ", "); got != "Ferry plans, Ferry plans, Ferry plans, Trains, Trains" {
			w.Errorf("%s: the hits are of %s", stage, got)
		}
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
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
		{
			name: "an unknown group", method: "GET", path: path + "?q=x&group=moods", status: 400, code: 1001,
			says: "group must be",
		},
		{
			name: "a range that ends before it begins", method: "GET", path: path + "?q=x&from=2&to=1", status: 400, code: 1001,
			says: "from must not be after to",
		},
		{name: "a negative time", method: "GET", path: path + "?q=x&from=-1", status: 400, code: 1001, says: "from must be"},
		{
			name: "a time past all", method: "GET", path: path + "?q=x&to=9223372036854775807&from=9223372036854775807",
			status: 200,
		},
		{
			name: "after what is no page", method: "GET", path: path + "?q=x&after=1.nonsense.2", status: 400, code: 1001,
			says: "after must be next of a page",
		},
		{
			name: "after what is nothing", method: "GET", path: path + "?q=x&after=..", status: 400, code: 1001,
			says: "after must be next of a page",
		},
		{
			name: "after a long text", method: "GET", path: path + "?q=x&after=" + strings.Repeat("1", 129), status: 400,
			code: 1001, says: "after must be at most 128 characters",
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
