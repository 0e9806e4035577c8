package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
)

// temporary creates a temporary session.
func (w *world) temporary(c *client.Client) string {
	w.Helper()
	created, err := c.CreateSession(w.Context(), parley.CreateSessionInput{Temporary: true})
	w.must(err)
	if want := w.clock.now().Add(parley.TemporaryLife).Unix(); !created.Temporary || created.ExpiresAt > want {
		w.Errorf("the new session is %+v, want its end at %d", created, want)
	}
	return created.SessionID
}

func TestATemporarySessionIsInNoListAndNoSearch(t *testing.T) {
	each(t, func(w *world) {
		const marker = "Wackelpudding"
		ada := w.user("ada")
		kept := w.session(ada, "Kept")
		session, blank := w.temporary(ada), w.temporary(ada)
		w.say(ada, session, "Is it "+marker+"?")
		_, err := ada.Upload(w.Context(), session, marker+".txt", strings.NewReader(marker))
		w.must(err)

		wantsNothing := func(when string) {
			w.Helper()
			for _, keyword := range []string{"", marker, "New chat"} {
				for _, page := range []parley.Page{{}, {Number: 2, Size: 1}} {
					got := w.sessions(ada, keyword, page)
					for _, one := range got.Sessions {
						if one.ID != kept {
							w.Errorf("%s the list for %q has %+v", when, keyword, one)
						}
					}
					if want := map[string]int64{"": 1}[keyword]; got.Total != want {
						w.Errorf("%s the list for %q has a total of %d, want %d", when, keyword, got.Total, want)
					}
				}
			}
			for _, in := range []string{"", session, blank} {
				for _, text := range []string{marker, "New chat"} {
					got, err := ada.Search(w.Context(), parley.Search{Text: text, SessionID: in}, parley.Page{})
					w.must(err)
					if got.Total != 0 || len(got.Hits) != 0 {
						w.Errorf("%s a search for %q in %q finds %+v", when, text, in, got)
					}
				}
			}
		}
		wantsNothing("at once")
		w.eventually("all is indexed", func() bool { return w.count("search_queue", "") == 0 })
		wantsNothing("after it is indexed")
		for name := range w.account(ada) {
			if strings.Contains(name, "sessions/") && !strings.Contains(name, "Kept") {
				w.Errorf("the export of the account has %s", name)
			}
		}
		if got, err := ada.Session(w.Context(), session); err != nil || !got.Temporary || got.MessageCount != 2 {
			w.Errorf("the session is %+v, %v", got, err)
		}
		if got := len(w.messages(ada, session)); got != 2 {
			w.Errorf("it has %d messages", got)
		}
	})
}

func TestATemporarySessionIsGoneAnHourAfterItsLastMessage(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session, unused := w.temporary(ada), w.temporary(ada)
		w.say(ada, session, "First")
		file, err := ada.Upload(w.Context(), session, "a.txt", strings.NewReader("a"))
		w.must(err)
		w.clock.forward(40 * time.Minute)
		w.say(ada, session, "Second")
		w.clock.forward(40 * time.Minute)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		_, err = ada.Session(w.Context(), unused)
		w.wants(err, parley.CodeNoSuchSession, 404)
		_, err = ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
		w.must(err)
		w.clock.forward(59 * time.Minute)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		if got := len(w.messages(ada, session)); got != 4 {
			w.Errorf("within the hour it has %d messages", got)
		}
		w.clock.forward(2 * time.Minute)
		w.must(w.app.Sweeper.Sweep(w.Context()))
		_, err = ada.Session(w.Context(), session)
		w.wants(err, parley.CodeNoSuchSession, 404)
		_, err = ada.Download(w.Context(), file.FileID)
		w.wants(err, parley.CodeUploadFailed, 404)
		w.eventually("the bytes of the file are gone", func() bool { return !w.onDisk(file.FileID) })
	})
}

func TestWhatATemporarySessionDoesNotHave(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.temporary(ada)
		said := w.say(ada, session, "A question")
		path := "/api/chat/session/" + session
		favorite := fmt.Sprintf(`{"session_id":%q,"message_id":%q}`, session, said.UserMessageID)
		scenarios := []scenario{
			{
				name: "favorite", method: "POST", path: "/api/favorites/add", body: favorite, status: 409, code: 3001,
				says: "temporary",
			},
			{name: "share", method: "POST", path: path + "/share", body: `{}`, status: 400, code: 1001, says: "temporary"},
		}
		for _, field := range []string{`"pinned":true`, `"archived":true`, `"expires_in":3600`} {
			scenarios = append(scenarios, scenario{
				name: "change " + field, method: "PATCH", path: path, body: `{` + field + `}`, status: 400, code: 1001,
				says: "temporary",
			}, scenario{
				name: "create " + field, method: "POST", path: "/api/chat/session", body: `{"temporary":true,` + field + `}`,
				status: 400, code: 1001, says: "temporary",
			})
		}
		scenarios = append(scenarios,
			scenario{name: "rename", method: "PATCH", path: path, body: `{"title":"Mine"}`, status: 200},
			scenario{name: "delete", method: "DELETE", path: path, status: 200},
			scenario{name: "gone", method: "GET", path: path, status: 404, code: 2001})
		w.play(ada, scenarios)
	})
}
