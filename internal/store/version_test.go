package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/db"
)

// edit replaces a question and returns the ids of the new question and its reply.
func (w *world) edit(userID int64, sessionID, replaces, question, reply string) (questionID, replyID string) {
	w.t.Helper()
	turn := w.question(userID, sessionID, question)
	turn.Replaces = replaces
	open, err := w.BeginTurn(w.t.Context(), turn)
	w.must(err)
	w.must(w.FinishTurn(w.t.Context(), open, reply, parley.Details{}))
	return turn.QuestionID, turn.ReplyID
}

// redo regenerates the last reply.
func (w *world) redo(userID int64, sessionID, reply string) {
	w.t.Helper()
	open, err := w.BeginTurn(w.t.Context(), NewTurn{UserID: userID, SessionID: sessionID, Owner: "owner", Redo: true})
	w.must(err)
	w.must(w.FinishTurn(w.t.Context(), open, reply, parley.Details{}))
}

func (w *world) expectText(userID int64, sessionID, want string) {
	w.t.Helper()
	if got := w.text(userID, sessionID); got != want {
		w.t.Errorf("the session is\n%s\nwant\n%s", got, want)
	}
}

func TestAVersionBringsBackWhatFollowedIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "one")
		w.must(w.FinishTurn(ctx, turn, "first", parley.Details{}))
		reply := w.say(user, session, "two", "second")
		before := w.text(user, session)
		w.redo(user, session, "second again")
		other, _ := w.edit(user, session, turn.QuestionID, "three", "third")
		w.expectText(user, session, "user: three\nassistant: third")

		w.must(w.ShowVersion(ctx, user, session, other, 1))
		w.expectText(user, session, "user: one\nassistant: first\nuser: two\nassistant: second again")
		w.must(w.ShowVersion(ctx, user, session, reply, 1))
		w.expectText(user, session, before)
		w.say(user, session, "more", "of it")
		w.must(w.ShowVersion(ctx, user, session, other, 0))
		w.expectText(user, session, "user: three\nassistant: third")
		w.must(w.ShowVersion(ctx, user, session, turn.QuestionID, 0))
		w.expectText(user, session, before+"\nuser: more\nassistant: of it")
		history, err := w.History(ctx, &Turn{UserID: user, SessionID: session}, 5, 5)
		w.must(err)
		if len(history) != 2 || history[0].Reply != "second" {
			t.Errorf("the history is %+v", history)
		}
		for _, version := range []int64{-1, 3} {
			err := w.ShowVersion(ctx, user, session, reply, version)
			if !errors.Is(err, parley.ErrInvalid) {
				t.Errorf("version %d: %v", version, err)
			}
		}
		if err := w.ShowVersion(ctx, w.user(), session, reply, 1); !errors.Is(err, parley.ErrNoSuchMessage) {
			t.Errorf("a version of another user: %v", err)
		}
	})
}

// An edit costs what a send costs, however long the session is: what is set aside stays where it is.
func TestAnEditCopiesAndMovesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		session := w.session(user, "Ferries")
		first := w.begin(user, session, "one")
		w.must(w.FinishTurn(ctx, first, "first", parley.Details{}))
		for range 10 {
			w.say(user, session, "more", "of it")
		}
		w.index()
		rows := func(query string) []string {
			all, err := db.ReadList(ctx, w.db, db.ScanOne[string], query)
			w.must(err)
			return all
		}
		const messages = `SELECT id || ' ' || number || ' ' || branch || ' ' || content || ' ' || attempt FROM messages`
		before := rows(messages + ` ORDER BY branch, number`)
		w.edit(user, session, first.QuestionID, "another", "reply")
		w.must(w.ShowVersion(ctx, user, session, first.QuestionID, 0))
		if after := rows(messages + ` ORDER BY branch, number`); len(after) != len(before)+2 ||
			!slices.Equal(after[:len(before)], before) {
			t.Errorf("the messages were %q, and are %q", before, after)
		}
		if queued := rows(`SELECT session_id FROM search_queue`); len(queued) > 2 {
			t.Errorf("%d texts are indexed anew", len(queued))
		}
	})
}

func TestAFailedEditLeavesEverythingAsItWas(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "one")
		w.must(w.FinishTurn(t.Context(), turn, "first", parley.Details{}))
		w.say(user, session, "two", "second")
		check := func(replaces string) {
			before := w.dump()
			edit := w.question(user, session, "three")
			edit.Replaces = replaces
			open, err := w.BeginTurn(t.Context(), edit)
			w.must(err)
			w.must(w.FailTurn(t.Context(), open, failure, w.tick()))
			if after := w.dump(); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		}
		check(turn.QuestionID)
		question, _ := w.edit(user, session, turn.QuestionID, "four", "fourth")
		w.redo(user, session, "fourth again")
		w.say(user, session, "five", "fifth")
		check(question)
		open := w.begin(user, session, "fails")
		w.must(w.FailTurn(t.Context(), open, failure, w.tick()))
		w.expectText(user, session, "user: four\nassistant: fourth again\nuser: five\nassistant: fifth")
	})
}

func TestAnEditWithAKeyIsMadeOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "one")
		w.must(w.FinishTurn(t.Context(), turn, "first", parley.Details{}))
		edit := func() (Turn, error) {
			question := w.question(user, session, "two")
			question.Replaces, question.Key, question.Digest = turn.QuestionID, "key", "digest"
			return w.BeginTurn(t.Context(), question)
		}
		open, err := edit()
		w.must(err)
		_, whileOpen := edit()
		w.must(w.FinishTurn(t.Context(), open, "second", parley.Details{}))
		_, afterwards := edit()
		for _, err := range []error{whileOpen, afterwards} {
			if !errors.Is(err, ErrKeyTaken) {
				t.Errorf("the same edit again: %v", err)
			}
		}
	})
}

func TestAFavoriteThatIsSetAsideHasTheTextThatIsShownAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "one")
		w.must(w.FinishTurn(ctx, turn, "first", parley.Details{}))
		_, err := w.AddFavorite(ctx, user, session, turn.ReplyID, "favorite", w.tick())
		w.must(err)
		w.redo(user, session, "first again")
		w.edit(user, session, turn.QuestionID, "two", "second")
		favorites, _, err := w.Favorites(ctx, user, parley.Page{Number: 1, Size: 5})
		w.must(err)
		if len(favorites) != 1 || !favorites[0].Aside || favorites[0].Content != "first again" {
			t.Errorf("the favorites are %+v", favorites)
		}
		w.must(w.ShowVersion(ctx, user, session, turn.ReplyID, 0))
		w.expectText(user, session, "user: one\nassistant: first again")
	})
}

func TestASessionHasALimitOfVersions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "one")
		w.must(w.FinishTurn(t.Context(), turn, "first", parley.Details{}))
		w.redo(user, session, "first again")
		w.run(`UPDATE sessions SET branches = 1000`)
		edit := w.question(user, session, "two")
		edit.Replaces = turn.QuestionID
		_, err := w.BeginTurn(t.Context(), edit)
		_, redoErr := w.BeginTurn(t.Context(), NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		w.run(`UPDATE sessions SET branches = 1`)
		for _, err := range []error{err, redoErr} {
			if !errors.Is(err, parley.ErrTooManyVersions) {
				t.Errorf("one version too many: %v", err)
			}
		}
	})
}

func TestAContinuedReplyThatIsTakenOverKeepsItsText(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user := t.Context(), w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "one")
		w.must(w.FinishTurn(ctx, turn, "first", parley.Details{}))
		w.edit(user, session, turn.QuestionID, "two", "second")
		w.redo(user, session, "half")
		open, err := w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		w.must(err)
		w.must(w.StopTurnWith(ctx, open, "third", parley.Details{Thinking: "hm"}))
		_, err = w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "dead", Continue: true, Stream: true})
		w.must(err)
		w.lease("heir", time.Hour)
		taken, err := w.TakeOver(ctx, "heir", 10)
		w.must(err)
		if len(taken) != 1 || !taken[0].Continue || !taken[0].Stream || taken[0].Question != "two" ||
			taken[0].Earlier().Text != "third" || taken[0].Earlier().Details.Thinking != "hm" {
			t.Fatalf("taken over: %+v", taken)
		}
		w.must(w.FailTurn(ctx, taken[0], failure, w.tick()))
		w.expectText(user, session, "user: two\nassistant: third (stopped)")
	})
}
