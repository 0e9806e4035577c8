package api_test

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/client"
)

func TestSessions(t *testing.T) {
	shared(t, []part{
		{"session titles", sessionTitles},
		{"untitled is a field", untitledIsAField},
		{"the first message gives the title", theFirstMessageGivesTheTitle},
		{"sessions are listed by activity", sessionsAreListedByActivity},
		{"session pages", sessionPages},
		{"pages are whole numbers from one", pagesAreWholeNumbersFromOne},
		{"one session is as the list shows it", oneSessionIsAsTheListShowsIt},
		{"rename session", renameSession},
		{"update session", updateSession},
		{"pinned and archived sessions", pinnedAndArchivedSessions},
		{"a message brings a session back", aMessageBringsASessionBack},
		{"clear keeps the session", clearKeepsTheSession},
		{"export", exportSession},
	})
}

// sessions reads a page of the session list.
func (w *world) sessions(c *client.Client, keyword string, page parley.Page) parley.SessionsOutput {
	w.Helper()
	out, err := c.Sessions(w.Context(), keyword, page)
	w.must(err)
	return out
}

// only returns a user's only session.
func (w *world) only(c *client.Client) parley.Session {
	w.Helper()
	list := w.sessions(c, "", parley.Page{})
	if len(list.Sessions) != 1 || list.Total != 1 {
		w.Fatalf("got %+v, want one session", list)
	}
	return list.Sessions[0]
}

func sessionTitles(w *world) {
	ada := w.user("ada")
	for _, test := range []struct{ body, want string }{
		{`{"title":"Holiday plans"}`, "Holiday plans"},
		{`{"title":"  Holiday plans\n"}`, "Holiday plans"},
		{`{"title":"` + strings.Repeat("长", 200) + `"}`, strings.Repeat("长", 200)},
		{`{}`, "New chat"},
		{``, "New chat"},
		{`{"title":""}`, "New chat"},
		{`{"title":" \t "}`, "New chat"},
		{`{"title":"` + strings.Repeat(" ", 300) + `"}`, "New chat"},
		{`{"title":"` + strings.Repeat("\u3000", 201) + `Capri"}`, "Capri"},
		{`{"title":null}`, "New chat"},
	} {
		got := w.request("POST", "/api/chat/session", test.body, as(ada))
		var out parley.CreateSessionOutput
		got.body(w, &out)
		if out.Title != test.want || out.SessionID == "" {
			w.Errorf("%s: got %+v, want the title %q", test.body, out, test.want)
		}
		if listed := w.sessions(ada, "", parley.Page{}).Sessions[0]; listed.Title != test.want {
			w.Errorf("%s: listed as %q, want %q", test.body, listed.Title, test.want)
		}
	}
	w.play(ada, []scenario{{
		name: "201 characters", path: "/api/chat/session", body: `{"title":"` + strings.Repeat("长", 201) + `"}`,
		status: 400, code: 1001, says: "title must be at most 200 characters",
	}})
}

// untitledIsAField checks that untitled depends on the title's origin, not on its text.
func untitledIsAField(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	create := func(title string) parley.CreateSessionOutput {
		w.Helper()
		out, err := ada.CreateSession(ctx, parley.CreateSessionInput{Title: title})
		w.must(err)
		return out
	}
	listed := func(id, title string, untitled bool) {
		w.Helper()
		for _, keyword := range []string{"", title} {
			list := w.sessions(ada, keyword, parley.Page{}).Sessions
			i := slices.IndexFunc(list, func(s parley.Session) bool { return s.ID == id })
			if i < 0 || list[i].Title != title || list[i].Untitled != untitled {
				w.Errorf("keyword %q: got %+v, want the title %q, untitled %v", keyword, list, title, untitled)
			}
		}
	}
	sent, renamed, named := create(""), create(" "), create("New chat")
	if !sent.Untitled || !renamed.Untitled || named.Untitled {
		w.Errorf("created %+v, %+v and %+v", sent, renamed, named)
	}
	listed(sent.SessionID, "New chat", true)
	listed(renamed.SessionID, "New chat", true)
	listed(named.SessionID, "New chat", false)
	w.say(ada, sent.SessionID, "Which ferry goes to Capri?")
	listed(sent.SessionID, "Which ferry goes to Capri?", false)
	w.must(ada.RenameSession(ctx, renamed.SessionID, parley.RenameSessionInput{Title: "New chat"}))
	listed(renamed.SessionID, "New chat", false)

	got := w.request("GET", "/api/chat/sessions", "", as(ada))
	if strings.Contains(got.text, "untitled") {
		w.Errorf("untitled is sent although false: %s", got.text)
	}
	w.must(ada.ClearSession(ctx, sent.SessionID))
	listed(sent.SessionID, "Which ferry goes to Capri?", false)
}

// theFirstMessageGivesTheTitle covers sessions without a title.
func theFirstMessageGivesTheTitle(w *world) {
	ada := w.user("ada")
	before := len(w.Model.Requests())
	for _, test := range []struct{ content, want string }{
		{"Which ferry goes to Capri?", "Which ferry goes to Capri?"},
		{"\n\n  # Ferries  to\tCapri\nand back", "Ferries to Capri"},
		{"哪一班船去卡普里?", "哪一班船去卡普里?"},
		{strings.Repeat("word ", 40), strings.TrimSpace(strings.Repeat("word ", 12)) + "…"},
		{strings.Repeat("船", 100), strings.Repeat("船", 60) + "…"},
	} {
		session := w.session(ada, "")
		w.say(ada, session, test.content)
		if got := w.sessions(ada, "", parley.Page{}).Sessions[0].Title; got != test.want {
			w.Errorf("%q gave the title %q, want %q", test.content, got, test.want)
		}
		w.say(ada, session, "A second message")
		if got := w.sessions(ada, "", parley.Page{}).Sessions[0].Title; got != test.want {
			w.Errorf("a second message gave the title %q", got)
		}
	}
	if n := len(w.Model.Requests()) - before; n != 10 {
		w.Errorf("the model was asked %d times for 10 messages", n)
	}
	kept := w.session(ada, "My own")
	w.say(ada, kept, "Which ferry goes to Capri?")
	if got := w.sessions(ada, "", parley.Page{}).Sessions[0].Title; got != "My own" {
		w.Errorf("a title of its user's became %q", got)
	}
}

func sessionsAreListedByActivity(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	order := func(want ...string) {
		w.Helper()
		list := w.sessions(ada, "", parley.Page{})
		var got []string
		for _, s := range list.Sessions {
			got = append(got, s.Title)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || list.Total != int64(len(want)) || list.HasMore {
			w.Errorf("got %v of %d, more %v, want %v", got, list.Total, list.HasMore, want)
		}
	}
	order()
	a, b := w.session(ada, "a"), w.session(ada, "b")
	w.session(ada, "c")
	order("c", "b", "a") // within one second the order still holds
	sent := w.clock.now().Unix()
	w.say(ada, a, "hello")
	order("a", "c", "b")
	w.clock.forward(time.Hour)
	w.say(ada, b, "hello")
	order("b", "a", "c")
	w.must(ada.RenameSession(ctx, a, parley.RenameSessionInput{Title: "d"}))
	order("b", "d", "c")
	w.must(ada.ClearSession(ctx, b))
	order("d", "c", "b")
	w.must(ada.DeleteSession(ctx, a))
	order("c", "b")

	w.say(ada, b, "hello again")
	list := w.sessions(ada, "", parley.Page{}).Sessions
	if list[0].MessageCount != 2 || list[0].LastMessageTime < sent+3600 {
		w.Errorf("first is %+v", list[0])
	}
	if list[1].MessageCount != 0 || list[1].LastMessageTime != 0 {
		w.Errorf("second is %+v", list[1])
	}
}

func sessionPages(w *world) {
	ada := w.user("ada")
	const total = 205
	for i := range total {
		w.session(ada, fmt.Sprintf("Session %03d", i))
	}
	for _, test := range []struct {
		query string
		first string // title of the first entry
		size  int
		more  bool
	}{
		{"", "Session 204", 20, true},
		{"?page=1&page_size=20", "Session 204", 20, true},
		{"?page=2", "Session 184", 20, true},
		{"?page=11", "Session 004", 5, false},
		{"?page=12", "", 0, false},
		{"?page=41&page_size=5", "Session 004", 5, false},
		{"?page=40&page_size=5", "Session 009", 5, true},
		{"?page_size=1", "Session 204", 1, true},
		{"?page_size=200", "Session 204", 200, true},
		{"?page_size=201", "Session 204", 200, true},
		{"?page_size=9223372036854775807", "Session 204", 200, true},
		{"?page=2&page_size=1000", "Session 004", 5, false},
		{"?page=1000000000000000000", "", 0, false},
		{"?page=9223372036854775807&page_size=200", "", 0, false},
		{"?keyword=session&page=2&page_size=200", "Session 004", 5, false},
		{"?keyword=session&page=1&page_size=200", "Session 204", 200, true},
		{"?keyword=session&page=3&page_size=200", "", 0, false},
		{"?keyword=session&page=9223372036854775807", "", 0, false},
		{"?keyword=%20&page=2", "Session 184", 20, true},
	} {
		var out parley.SessionsOutput
		w.request("GET", "/api/chat/sessions"+test.query, "", as(ada)).body(w, &out)
		first := ""
		if len(out.Sessions) > 0 {
			first = out.Sessions[0].Title
		}
		if first != test.first || len(out.Sessions) != test.size || out.HasMore != test.more || out.Total != total {
			w.Errorf("%q: got %d from %q of %d, more %v; want %+v",
				test.query, len(out.Sessions), first, out.Total, out.HasMore, test)
		}
	}
}

func pagesAreWholeNumbersFromOne(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	paths := []string{"/api/chat/sessions?", "/api/chat/messages?session_id=" + session + "&", "/api/favorites/list?"}
	values := []string{"0", "-1", "1.5", "abc", "1e3", "0x10", "99999999999999999999", "%20", "%31%00", "１"}
	for _, path := range paths {
		var scenarios []scenario
		for _, name := range []string{"page", "page_size"} {
			for _, value := range values {
				query := name + "=" + value
				scenarios = append(scenarios, scenario{
					name: query, method: "GET", path: path + query, status: 400, code: 1001, says: name + " must be",
				})
			}
		}
		w.play(ada, scenarios)
	}
}

func oneSessionIsAsTheListShowsIt(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	check := func() {
		w.Helper()
		got, err := ada.Session(w.Context(), session)
		w.must(err)
		if want := w.only(ada); got != want {
			w.Errorf("got %+v, the list has %+v", got, want)
		}
	}
	check()
	w.say(ada, session, "Which ferry goes to Capri?")
	check()
	w.must(ada.DeleteSession(w.Context(), session))
	w.play(ada, []scenario{
		{name: "a deleted one", method: "GET", path: "/api/chat/session/" + session, status: 404, code: 2001},
		{name: "none at all", method: "GET", path: "/api/chat/session/x", status: 404, code: 2001},
	})
}

func renameSession(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	scenarios := []scenario{
		{name: "no title", body: `{}`, status: 400, code: 1001, says: "title is required"},
		{name: "a blank title", body: `{"title":" "}`, status: 400, code: 1001, says: "title must not be blank"},
		{
			name: "many blanks", body: `{"title":"` + strings.Repeat(" ", 300) + `"}`,
			status: 400, code: 1001, says: "title must not be blank",
		},
		{
			name: "201 characters", body: `{"title":"` + strings.Repeat("x", 201) + `"}`,
			status: 400, code: 1001, says: "title must be at most 200",
		},
		{name: "200 characters", body: `{"title":"` + strings.Repeat("x", 200) + `"}`, status: 200},
		{name: "a title", body: `{"title":" Capri in May "}`, status: 200},
		{name: "no such session", path: "/api/chat/session/x", body: `{"title":"x"}`, status: 404, code: 2001},
	}
	for i := range scenarios {
		scenarios[i].method = "PATCH"
		scenarios[i].path = cmp.Or(scenarios[i].path, "/api/chat/session/"+session)
	}
	w.play(ada, scenarios)
	if got := w.only(ada).Title; got != "Capri in May" {
		w.Errorf("got the title %q", got)
	}
	w.say(ada, session, "Which ferry?")
	if got := w.only(ada).Title; got != "Capri in May" {
		w.Errorf("a message renamed the session to %q", got)
	}
}

func clearKeepsTheSession(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	own := w.property(ada)
	session := own["session_id"]
	w.must(ada.ClearSession(ctx, session))
	want := parley.Session{ID: session, Title: "Private plans"}
	if got := w.only(ada); got != want {
		w.Errorf("got %+v, want %+v", got, want)
	}
	if messages := w.messages(ada, session); len(messages) != 0 {
		w.Errorf("messages are left: %+v", messages)
	}
	if list, err := ada.Favorites(ctx, "", parley.Page{}); err != nil || list.Total != 0 || len(list.Favorites) != 0 {
		w.Errorf("favorites are left: %+v, %v", list, err)
	}
	if files, err := ada.Files(ctx, session); err != nil || len(files.Files) != 1 {
		w.Errorf("the files are gone: %+v, %v", files, err)
	}
	w.must(ada.ClearSession(ctx, session)) // this works on an empty session too
	w.say(ada, session, "Once more")
	if last := w.Model.Last(w.T); strings.Contains(string(last.Body), "A private question") {
		w.Error("the model received messages that were cleared")
	}
	if messages := w.messages(ada, session); len(messages) != 2 {
		w.Errorf("got %d messages, want 2", len(messages))
	}
	w.wants(ada.ClearSession(ctx, "x"), parley.CodeNoSuchSession, 404)
}

func TestDeleteRemovesTheSessionAndAllInIt(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		own := w.property(ada)
		session := own["session_id"]
		kept := w.session(ada, "Kept")
		w.say(ada, kept, "hello")
		w.must(ada.DeleteSession(ctx, session))
		if got := w.only(ada); got.ID != kept {
			w.Errorf("got %+v, want the other session", got)
		}
		_, err := ada.Messages(ctx, session, parley.Page{})
		w.wants(err, parley.CodeNoSuchSession, 404)
		_, err = ada.Send(ctx, parley.SendInput{SessionID: session, Content: "hello"})
		w.wants(err, parley.CodeNoSuchSession, 404)
		_, err = ada.Files(ctx, session)
		w.wants(err, parley.CodeNoSuchSession, 404)
		_, err = ada.Download(ctx, own["file_id"])
		w.wants(err, parley.CodeUploadFailed, 404)
		w.wants(ada.RemoveFavorite(ctx, own["message_id"]), parley.CodeNoSuchFavorite, 404)
		if list, err := ada.Favorites(ctx, "", parley.Page{}); err != nil || list.Total != 0 || len(list.Favorites) != 0 {
			w.Errorf("favorites are left: %+v, %v", list, err)
		}
		w.wants(ada.DeleteSession(ctx, session), parley.CodeNoSuchSession, 404)
		for _, table := range []string{"messages", "files", "turns"} {
			if n := w.count(table, kept); n != 0 {
				w.Errorf("%d rows are left in %s", n, table)
			}
		}
		w.eventually("the index has forgotten it", func() bool { return w.count("search_queue", kept) == 0 })
		w.eventually("the bytes of the file are gone", func() bool { return !w.onDisk(own["file_id"]) })
	})
}

func exportSession(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "Holiday plans")
	for i := range 3 {
		w.say(ada, session, fmt.Sprintf("Question %d", i))
	}
	export, err := ada.Export(ctx, session)
	w.must(err)
	if export.SessionID != session || export.Title != "Holiday plans" {
		w.Errorf("got %+v", export)
	}
	if export.CreatedAt == 0 || export.ExportedAt < export.CreatedAt {
		w.Errorf("created at %d, exported at %d", export.CreatedAt, export.ExportedAt)
	}
	if history := w.messages(ada, session); !reflect.DeepEqual(export.Messages, history) {
		w.Errorf("got %v, want %v", export.Messages, history)
	}
	document, err := ada.ExportMarkdown(ctx, session)
	w.must(err)
	defer document.Close()
	text, err := io.ReadAll(document)
	w.must(err)
	at := 0
	for _, want := range []string{
		"# Holiday plans\n", "## User · ", "Question 0", "## Assistant · ", "You said: Question 0",
		"Question 2", "You said: Question 2",
	} {
		next := strings.Index(string(text[at:]), want)
		if next < 0 {
			w.Fatalf("%q is missing or out of order in\n%s", want, text)
		}
		at += next
	}
	empty, err := ada.Export(ctx, w.session(ada, ""))
	w.must(err)
	if empty.Title != "New chat" || len(empty.Messages) != 0 {
		w.Errorf("an empty session: %+v", empty)
	}
	got := w.request("GET", "/api/chat/session/"+session+"/export", "", as(ada))
	if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/markdown") || got.text != string(text) {
		w.Errorf("without a format: %s\n%s", kind, got.text)
	}
	if disposition := got.Header.Get("Content-Disposition"); disposition != `attachment; filename="Holiday plans.md"` {
		w.Errorf("Content-Disposition is %q", disposition)
	}
	got = w.request("GET", "/api/chat/session/"+session+"/export?format=html", "", as(ada))
	if got.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasSuffix(got.text, "</html>\n") ||
		strings.Count(got.text, "<section") != 6 || !strings.Contains(got.text, "Question 2") {
		w.Errorf("as a page: %v\n%s", got.Header, got.text)
	}
	if disposition := got.Header.Get("Content-Disposition"); disposition != `attachment; filename="Holiday plans.html"` {
		w.Errorf("Content-Disposition of the page is %q", disposition)
	}
	forged := w.session(ada, "船")
	w.say(ada, forged, "## Assistant · 2026-01-01 00:00 UTC\n<!--\n```\n")
	got = w.request("GET", "/api/chat/session/"+forged+"/export", "", as(ada))
	if n := strings.Count(got.text, "\n## "); n != 2 {
		w.Errorf("got %d headings, want 2:\n%s", n, got.text)
	}
	const disposition = "attachment; filename*=utf-8''%E8%88%B9.md"
	if header := got.Header.Get("Content-Disposition"); header != disposition {
		w.Errorf("Content-Disposition is %q", header)
	}
	w.play(ada, []scenario{
		{
			name: "another format", method: "GET", path: "/api/chat/session/" + session + "/export?format=pdf",
			status: 400, code: 1001, says: "format must be one of",
		},
		{name: "no such session", method: "GET", path: "/api/chat/session/x/export", status: 404, code: 2001},
	})
}

func TestDeletionsAreAudited(t *testing.T) {
	each(t, func(w *world) {
		ada, bob := w.user("ada"), w.user("bob")
		session := w.session(ada, "")
		uploaded, err := ada.Upload(w.Context(), session, "a.txt", strings.NewReader("a text"))
		w.must(err)
		file := uploaded.FileID
		if err := bob.DeleteSession(w.Context(), session); err == nil {
			w.Error("bob deletes ada's session")
		}
		w.must(ada.DeleteFile(w.Context(), file))
		w.must(ada.ClearSession(w.Context(), session))
		w.must(ada.DeleteSession(w.Context(), session))
		line := regexp.MustCompile(
			`audit=((?:session|file)-[a-z]+) user=(\d+) address=127\.0\.0\.1 request=\S+ id=(\S+)\n`)
		var got []string
		for _, found := range line.FindAllStringSubmatch(w.Log.String(), -1) {
			got = append(got, strings.Join(found[1:], " "))
		}
		want := []string{"file-delete 1 " + file, "session-clear 1 " + session, "session-delete 1 " + session}
		if !slices.Equal(got, want) {
			w.Errorf("the log has %q, want %q", got, want)
		}
	})
}

// TestAClearDuringSendsLeavesNoUnansweredQuestion clears a session while questions are sent to it. A failed send must
// leave nothing behind, and no reply may stay open.
func TestAClearDuringSendsLeavesNoUnansweredQuestion(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		var failed sync.Map
		var all sync.WaitGroup
		for sender := range 3 {
			all.Go(func() {
				for i := range 10 {
					question := fmt.Sprintf("question %d of %d", i, sender)
					_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: question})
					if err != nil {
						w.wants(err, parley.CodeSendFailed, 409)
						failed.Store(question, true)
					}
				}
			})
		}
		all.Go(func() {
			for range 10 {
				w.must(ada.ClearSession(w.Context(), session))
			}
		})
		all.Wait()
		if open := w.count("turns", ""); open != 0 {
			w.Errorf("%d turns are open", open)
		}
		for _, m := range w.messages(ada, session) {
			if _, has := failed.Load(m.Content); has || m.Status != "" {
				w.Errorf("left behind: %+v", m)
			}
		}
		w.wantContiguous(session)
	})
}
