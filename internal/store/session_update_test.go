package store

import (
	"slices"
	"testing"

	"parley"
)

// listed returns the titles of the sessions that a filter selects, and checks the total.
func (w *world) listed(userID int64, filter SessionFilter) []string {
	w.t.Helper()
	sessions, total, err := w.Sessions(w.t.Context(), userID, filter, parley.Page{Number: 1, Size: 10})
	w.must(err)
	titles := []string{}
	for _, s := range sessions {
		titles = append(titles, s.Title)
	}
	if total != int64(len(titles)) {
		w.t.Errorf("%+v: the total is %d, there are %q", filter, total, titles)
	}
	return titles
}

func (w *world) change(userID int64, sessionID string, change SessionChange) {
	w.t.Helper()
	w.must(w.UpdateSession(w.t.Context(), userID, sessionID, change))
}

func TestPinnedAndArchivedSessionsAreListedApart(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		first, second := w.session(user, "first"), w.session(user, "second")
		w.session(user, "third")
		expect := func(name string, filter SessionFilter, want ...string) {
			t.Helper()
			if got := w.listed(user, filter); !slices.Equal(got, want) {
				t.Errorf("%s are %q, want %q", name, got, want)
			}
		}
		w.change(user, first, SessionChange{Pinned: new(true)})
		w.change(user, second, SessionChange{Pinned: new(true), Archived: new(true)})
		w.change(user, second, SessionChange{Archived: new(true)}) // once more counts once
		expect("listed", SessionFilter{}, "third", "first")
		expect("pinned", SessionFilter{Pinned: true}, "first")
		expect("archived", SessionFilter{Archived: true}, "second")
		expect("both", SessionFilter{Pinned: true, Archived: true}, "second")

		w.change(user, second, SessionChange{Archived: new(false), Pinned: new(false)})
		expect("listed", SessionFilter{}, "third", "second", "first")
		expect("archived", SessionFilter{Archived: true})
		w.change(user, second, SessionChange{Archived: new(true)})
		w.must(w.DeleteSession(t.Context(), user, second))
		expect("archived", SessionFilter{Archived: true})
		expect("listed", SessionFilter{}, "third", "first")
		audit(t, w.Store)
	})
}

func TestAChangeLeavesTheOtherFields(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		want := SessionHead{Title: "Ferries"}
		check := func() {
			t.Helper()
			got, err := w.Session(t.Context(), user, session)
			w.must(err)
			want.CreatedAt = got.CreatedAt
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		for _, set := range []func() SessionChange{
			func() SessionChange { want.Pinned = true; return SessionChange{Pinned: new(true)} },
			func() SessionChange {
				want.Instructions = "Be brief."
				return SessionChange{Instructions: new("Be brief.")}
			},
			func() SessionChange { want.Archived = true; return SessionChange{Archived: new(true)} },
			func() SessionChange { want.Title = "Boats"; return SessionChange{Title: new("Boats")} },
			func() SessionChange { want.Instructions = ""; return SessionChange{Instructions: new("")} },
			func() SessionChange { want.Pinned = false; return SessionChange{Pinned: new(false)} },
		} {
			w.change(user, session, set())
			check()
		}
		_, err := w.UpdateProfile(t.Context(), user, parley.ProfileInput{Instructions: new("Call me Ada.")})
		w.must(err)
		want.UserInstructions = "Call me Ada."
		check()
		w.must(w.ClearSession(t.Context(), user, session))
		check()
	})
}

func TestAQuestionBringsAnArchivedSessionBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		session := w.session(user, "Ferries")
		begin := func() Turn {
			question := w.question(user, session, "Which ferry?")
			question.Archived = true
			turn, err := w.BeginTurn(ctx, question)
			w.must(err)
			return turn
		}
		expect := func(archived bool) {
			t.Helper()
			if got := len(w.listed(user, SessionFilter{Archived: true})) == 1; got != archived {
				t.Errorf("archived is %v, want %v", got, archived)
			}
			audit(t, w.Store)
		}
		w.change(user, session, SessionChange{Archived: new(true)})
		before := w.dump()
		turn := begin()
		expect(false)
		w.must(w.FailTurn(ctx, turn, failure, w.tick()))
		expect(true)
		if got := w.dump(); got != before {
			t.Errorf("a failed turn left\n%s\nwant\n%s", got, before)
		}
		turn = begin()
		w.change(user, session, SessionChange{Archived: new(false)}) // the user wants it back in any case
		w.must(w.FailTurn(ctx, turn, failure, w.tick()))
		expect(false)
		w.change(user, session, SessionChange{Archived: new(true)})
		turn = begin()
		w.change(user, session, SessionChange{Archived: new(true)})
		expect(true)
		w.must(w.FailTurn(ctx, turn, failure, w.tick()))
		expect(true)
		w.must(w.FinishTurn(ctx, begin(), "The fast one.", parley.Details{}))
		expect(false)
	})
}
