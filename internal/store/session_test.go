package store

import (
	"errors"
	"slices"
	"testing"

	"parley"
	"parley/internal/id"
)

// titles returns the titles of a page of sessions, and the total.
func (w *world) titles(userID int64, page parley.Page) ([]string, int64) {
	w.t.Helper()
	sessions, total, err := w.Sessions(w.t.Context(), userID, SessionFilter{}, page)
	w.must(err)
	titles := []string{}
	for _, s := range sessions {
		titles = append(titles, s.Title)
	}
	return titles, total
}

func TestSessionsComeByLatestActivity(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		first, second := w.session(ada, "first"), w.session(ada, "second")
		w.session(ada, "third")
		w.session(bob, "bob's")
		expect := func(want ...string) {
			t.Helper()
			titles, total := w.titles(ada, parley.Page{Number: 1, Size: 10})
			if !slices.Equal(titles, want) || total != int64(len(want)) {
				t.Errorf("sessions are %v of %d, want %v", titles, total, want)
			}
		}
		expect("third", "second", "first")
		w.say(ada, first, "q", "r")
		expect("first", "third", "second")
		turn := w.begin(ada, second, "q")
		expect("second", "first", "third")
		w.must(w.FailTurn(t.Context(), turn, failure, w.tick()))
		expect("first", "third", "second")
		w.must(w.ClearSession(t.Context(), ada, first))
		expect("third", "second", "first")
		w.must(w.DeleteSession(t.Context(), ada, second))
		expect("third", "first")
	})
}

func TestAPageOfSessionsCarriesTheWholeTotal(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		if titles, total := w.titles(user, parley.Page{Number: 1, Size: 10}); len(titles) != 0 || total != 0 {
			t.Errorf("without sessions: %v of %d", titles, total)
		}
		for i := range 5 {
			w.session(user, numbered("s", i))
		}
		for _, c := range []struct {
			page parley.Page
			want []string
		}{
			{parley.Page{Number: 1, Size: 2}, []string{"s 4", "s 3"}},
			{parley.Page{Number: 3, Size: 2}, []string{"s 0"}},
			{parley.Page{Number: 4, Size: 2}, []string{}},
			{parley.Page{Number: 1_000_000_000_000_000_000, Size: 200}, []string{}},
		} {
			if titles, total := w.titles(user, c.page); !slices.Equal(titles, c.want) || total != 5 {
				t.Errorf("%+v: %v of %d, want %v", c.page, titles, total, c.want)
			}
		}
		if titles, total := w.titles(user+1, parley.Page{Number: 1, Size: 10}); len(titles) != 0 || total != 0 {
			t.Errorf("a user that is not: %v of %d", titles, total)
		}
	})
}

func TestSessionsOfOneMomentComeByTheirIDs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		const count = 16 // enough for a keyword that most sessions hold
		var ids []string
		for range count {
			session := NewSession{ID: id.New(), UserID: user, Title: "same", Now: w.now}
			w.must(w.CreateSession(t.Context(), session))
			ids = append(ids, session.ID)
		}
		slices.Reverse(ids)
		for name, read := range map[string]func(page parley.Page) ([]parley.Session, int64, error){
			"list": func(page parley.Page) ([]parley.Session, int64, error) {
				return w.Sessions(t.Context(), user, SessionFilter{}, page)
			},
			"keyword": func(page parley.Page) ([]parley.Session, int64, error) {
				return w.FindSessions(t.Context(), user, Keyword{Key: "same"}, page)
			},
		} {
			for _, size := range []int64{1, 2, 4, count} {
				var got []string
				for number := range count / size {
					page, _, err := read(parley.Page{Number: number + 1, Size: size})
					w.must(err)
					for _, session := range page {
						got = append(got, session.ID)
					}
				}
				if !slices.Equal(got, ids) {
					t.Errorf("%s in pages of %d: %v, want %v", name, size, got, ids)
				}
			}
		}
	})
}

func TestAnotherUsersSessionIsNone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session := w.session(ada, "Ferries")
		message := w.say(ada, session, "q", "r")
		before := w.dump()
		page := parley.Page{Number: 1, Size: 10}
		for name, try := range map[string]func(user int64, session string) error{
			"find": func(u int64, s string) error { _, err := w.Session(t.Context(), u, s); return err },
			"read": func(u int64, s string) error { _, _, err := w.Messages(t.Context(), u, s, page); return err },
			"after": func(u int64, s string) error {
				_, _, err := w.MessagesAfter(t.Context(), u, s, 0, 10, "")
				return err
			},
			"rename": func(u int64, s string) error {
				return w.UpdateSession(t.Context(), u, s, SessionChange{Title: new("mine")})
			},
			"clear":  func(u int64, s string) error { return w.ClearSession(t.Context(), u, s) },
			"delete": func(u int64, s string) error { return w.DeleteSession(t.Context(), u, s) },
			"favorite": func(u int64, s string) error {
				_, err := w.AddFavorite(t.Context(), u, s, message, id.New(), w.now)
				return err
			},
			"upload": func(u int64, s string) error {
				return w.AddFile(t.Context(), NewFile{File: parley.File{FileID: id.New()}, UserID: u, SessionID: s, Now: w.now})
			},
		} {
			for _, c := range []struct {
				user    int64
				session string
			}{{bob, session}, {ada, id.New()}, {ada, "nonsense"}} {
				if err := try(c.user, c.session); !errors.Is(err, parley.ErrNoSuchSession) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if w.dump() != before {
			t.Error("something was changed")
		}
	})
}

func TestASessionNeedsItsUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		err := w.CreateSession(t.Context(), NewSession{ID: id.New(), UserID: w.user() + 1, Title: "x", Now: w.now})
		if !errors.Is(err, parley.ErrBadToken) {
			t.Errorf("error is %v", err)
		}
	})
}

func TestTextIsKeptToTheLetter(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for _, text := range []string{
			"  white \t space \r\n ", "e\u0301 is not é", "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "שלום עולם \u200f\u202e",
			"zero\u200bwidth\ufeff", "𠜎𠜱 rare",
			"'; DROP TABLE users; --", `%_\ "quoted" $1 ?`, "\u0001 control",
		} {
			session := w.session(user, text)
			w.say(user, session, text, text)
			if got := w.text(user, session); got != "user: "+text+"\nassistant: "+text {
				t.Errorf("%q became %q", text, got)
			}
			if head, err := w.Session(t.Context(), user, session); err != nil || head.Title != text {
				t.Errorf("the title %q became %q, %v", text, head.Title, err)
			}
		}
	})
}
