package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/id"
)

// dump returns all that a turn can change, as text.
func (w *world) dump() string {
	w.t.Helper()
	w.index()
	var b strings.Builder
	for _, query := range []string{
		`SELECT id || title || message_count || ' ' || last_message_at || ' ' || active_at || ' ' || created_at
			|| ' ' || branch || ' ' || branches || ' ' || pinned || archived || instructions FROM sessions ORDER BY id`,
		`SELECT id || session_id || number || role || content || status || details || ' ' || attempt || ' ' || created_at ||
			COALESCE(favorite_id, '') FROM messages ORDER BY id, branch`,
		`SELECT session_id || branch || ' ' || parent || ' ' || first || ' ' || shown
			FROM branches ORDER BY session_id, branch`,
		`SELECT session_id || message_id || owner || ' ' || attempt || ' ' || first || ' ' || number || named ||
			archived || redo || stopped || content || thinking FROM turns ORDER BY session_id`,
		`SELECT id || ' ' || session_count || ' ' || archived_count || ' ' || favorite_count FROM users ORDER BY id`,
		`SELECT CAST(COALESCE(sum(size - gone), 0) AS TEXT) FROM search_blocks`,
		`SELECT key || message_id FROM send_keys ORDER BY key`,
	} {
		rows, err := db.ReadList(w.t.Context(), w.db, db.ScanOne[string], query)
		w.must(err)
		fmt.Fprintln(&b, strings.Join(rows, "\n"))
	}
	return b.String()
}

var failure = parley.ErrAIUnavailable.WithCause(errors.New("the model is asleep"))

func TestAnOpenTurnShowsItsQuestionAndAPendingReply(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		turn := w.begin(user, session, "Which ferry?")
		if got := w.text(user, session); got != "user: Which ferry?\nassistant:  (pending)" {
			t.Errorf("while open: %s", got)
		}
		details := parley.Details{Model: "m", Thinking: "hm", ThinkingMS: 5, Sources: []parley.Source{{Title: "a", URL: "b"}}}
		w.must(w.FinishTurn(t.Context(), turn, "The fast one.", details))
		if got := w.text(user, session); got != "user: Which ferry?\nassistant: The fast one." {
			t.Errorf("when finished: %s", got)
		}
		messages, _, err := w.Messages(t.Context(), user, session, parley.Page{Number: 2, Size: 1})
		w.must(err)
		m := decoded(t, messages)[0]
		if m.ID != turn.ReplyID || m.Timestamp != w.now.Unix() || m.Thinking != "hm" || len(m.Sources) != 1 {
			t.Errorf("the reply is %+v", m)
		}
	})
}

func TestTheFirstQuestionNamesASessionWithoutATitle(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for _, c := range []struct{ before, given, after string }{
			{"", "Ferries", "Ferries"}, {"Mine", "Ferries", "Mine"}, {"", "", ""},
		} {
			session := w.session(user, c.before)
			turn := w.question(user, session, "Which ferry?")
			turn.Title = c.given
			_, err := w.BeginTurn(t.Context(), turn)
			w.must(err)
			head, err := w.Session(t.Context(), user, session)
			w.must(err)
			if head.Title != c.after {
				t.Errorf("a session called %q is now called %q, want %q", c.before, head.Title, c.after)
			}
		}
	})
}

func TestAFailedTurnLeavesNothingBehind(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for name, session := range map[string]string{
			"a new session":         w.session(user, ""),
			"a session with a name": w.session(user, "Ferries"),
			"a session in use": func() string {
				s := w.session(user, "")
				w.say(user, s, "first", "reply")
				return s
			}(),
			"a cleared session": func() string {
				s := w.session(user, "")
				w.say(user, s, "first", "reply")
				w.must(w.ClearSession(t.Context(), user, s))
				return s
			}(),
		} {
			for _, indexed := range []bool{false, true} {
				w.index()
				before := w.dump()
				turn := w.question(user, session, "Which ferry?")
				turn.Title, turn.Key, turn.Digest = "Which ferry?", "key", "digest"
				open, err := w.BeginTurn(t.Context(), turn)
				w.must(err)
				_, err = w.AddFavorite(t.Context(), user, session, turn.QuestionID, id.New(), w.tick())
				w.must(err)
				if indexed {
					w.index()
				}
				w.must(w.FailTurn(t.Context(), open, failure, w.tick()))
				if after := w.dump(); after != before {
					t.Errorf("%s: before\n%s\nafter\n%s", name, before, after)
				}
				if _, err := w.Reply(t.Context(), user, open.ReplyID); !errors.Is(err, parley.ErrAIUnavailable) {
					t.Errorf("%s: its outcome is %v", name, err)
				}
				audit(t, w.Store)
			}
		}
	})
}

func TestATitleChangedMeanwhileOutlivesTheFailedTurn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		turn := w.question(user, session, "Which ferry?")
		turn.Title = "Which ferry?"
		open, err := w.BeginTurn(t.Context(), turn)
		w.must(err)
		w.must(w.UpdateSession(t.Context(), user, session, SessionChange{Title: new("Capri")}))
		w.must(w.FailTurn(t.Context(), open, failure, w.tick()))
		head, err := w.Session(t.Context(), user, session)
		w.must(err)
		if head.Title != "Capri" || head.MessageCount != 0 {
			t.Errorf("the session is %+v", head)
		}
	})
}

func TestOfTwoTurnsBegunAtOnceOneGoesOn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		questions := make([]NewTurn, 8)
		for i := range questions {
			questions[i] = w.question(user, session, numbered("question", i))
		}
		errs := parallel(len(questions), func(i int) error {
			_, err := w.BeginTurn(t.Context(), questions[i])
			return err
		})
		if count(errs) != 1 {
			t.Errorf("%d turns were opened", count(errs))
		}
		for _, err := range errs {
			if err != nil && !errors.Is(err, ErrTurnOpen) {
				t.Error(err)
			}
		}
		if head, err := w.Session(t.Context(), user, session); err != nil || head.MessageCount != 2 {
			t.Errorf("%d messages, %v", head.MessageCount, err)
		}
	})
}

func TestATurnNeedsTheUsersOwnSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session := w.session(ada, "")
		for _, turn := range []NewTurn{w.question(bob, session, "hi"), w.question(ada, id.New(), "hi")} {
			if _, err := w.BeginTurn(t.Context(), turn); !errors.Is(err, parley.ErrNoSuchSession) {
				t.Errorf("begin: %v", err)
			}
		}
		w.say(ada, session, "q", "r")
		_, err := w.BeginTurn(t.Context(), NewTurn{UserID: bob, SessionID: session, Owner: "owner", Redo: true})
		if !errors.Is(err, parley.ErrNoSuchSession) {
			t.Errorf("redo: %v", err)
		}
	})
}

func TestAStaleOwnerChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session, other := w.session(user, "Ferries"), w.session(user, "")
		w.say(user, session, "first", "reply")
		old := w.begin(user, other, "elsewhere")
		turn := w.begin(user, session, "Which ferry?")
		before := w.dump()
		for name, change := range map[string]func(*Turn){
			"another owner":       func(t *Turn) { t.Owner = "other" },
			"an earlier attempt":  func(t *Turn) { t.Attempt-- },
			"a later attempt":     func(t *Turn) { t.Attempt++ },
			"another reply":       func(t *Turn) { t.ReplyID = old.ReplyID },
			"another session":     func(t *Turn) { t.SessionID = other },
			"a session of nobody": func(t *Turn) { t.SessionID = id.New() },
		} {
			stale := turn
			change(&stale)
			if err := w.FinishTurn(t.Context(), stale, "late", parley.Details{}); !errors.Is(err, ErrTurnLost) {
				t.Errorf("%s finished: %v", name, err)
			}
			if err := w.FailTurn(t.Context(), stale, failure, w.tick()); !errors.Is(err, ErrTurnLost) {
				t.Errorf("%s failed: %v", name, err)
			}
			if w.dump() != before {
				t.Fatalf("%s changed something", name)
			}
		}
		w.must(w.FinishTurn(t.Context(), turn, "The fast one.", parley.Details{}))
		if err := w.FinishTurn(t.Context(), turn, "again", parley.Details{}); !errors.Is(err, ErrTurnLost) {
			t.Errorf("a second finish: %v", err)
		}
		if err := w.FailTurn(t.Context(), turn, failure, w.tick()); !errors.Is(err, ErrTurnLost) {
			t.Errorf("a failure after the finish: %v", err)
		}
	})
}

func TestClearAndDeleteEndAnOpenTurn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for name, end := range map[string]func(ctx context.Context, userID int64, sessionID string) error{
			"clear": w.ClearSession, "delete": w.DeleteSession,
		} {
			for _, redo := range []bool{false, true} {
				session := w.session(user, "")
				turn := w.begin(user, session, "Which ferry?")
				if redo {
					w.must(w.FinishTurn(t.Context(), turn, "reply", parley.Details{}))
					var err error
					turn, err = w.BeginTurn(t.Context(), NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
					w.must(err)
				}
				w.must(end(t.Context(), user, session))
				before := w.dump()
				if err := w.FinishTurn(t.Context(), turn, "late", parley.Details{}); !errors.Is(err, ErrTurnLost) {
					t.Errorf("finish after %s: %v", name, err)
				}
				if err := w.FailTurn(t.Context(), turn, failure, w.tick()); !errors.Is(err, ErrTurnLost) {
					t.Errorf("failure after %s: %v", name, err)
				}
				if w.dump() != before {
					t.Errorf("a late write changed something after %s", name)
				}
				if _, err := w.Reply(t.Context(), user, turn.ReplyID); !errors.Is(err, parley.ErrNoSuchMessage) {
					t.Errorf("the reply after %s: %v", name, err)
				}
			}
		}
	})
}

func TestClearKeepsTheSession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "Ferries")
		w.say(user, session, "q", "r")
		w.must(w.ClearSession(t.Context(), user, session))
		head, err := w.Session(t.Context(), user, session)
		w.must(err)
		if head.Title != "Ferries" || head.MessageCount != 0 {
			t.Errorf("the session is %+v", head)
		}
		w.say(user, session, "again", "and again")
		if got := w.text(user, session); got != "user: again\nassistant: and again" {
			t.Errorf("after it: %s", got)
		}
	})
}

func TestAReplyMadeAnewKeepsItsPlaceUntilItIsComplete(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		_, err := w.BeginTurn(t.Context(), NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		if !errors.Is(err, parley.ErrNothingToRegenerate) {
			t.Errorf("an empty session: %v", err)
		}
		replyID := w.say(user, session, "Which ferry?", "The slow one.")
		favorite, err := w.AddFavorite(t.Context(), user, session, replyID, id.New(), w.tick())
		w.must(err)

		options := parley.ReplyOptions{Model: parley.ModelBasic, DeepThinking: true}
		redo := NewTurn{UserID: user, SessionID: session, Options: options, Owner: "owner", Redo: true}
		turn, err := w.BeginTurn(t.Context(), redo)
		w.must(err)
		if turn.ReplyID != replyID || turn.Number != 2 || !turn.Redo || turn.Options != options {
			t.Errorf("the turn is %+v", turn)
		}
		if got := w.text(user, session); got != "user: Which ferry?\nassistant: The slow one. (pending)" {
			t.Errorf("while open: %s", got)
		}
		if _, err := w.BeginTurn(t.Context(), redo); !errors.Is(err, ErrTurnOpen) {
			t.Errorf("a second redo: %v", err)
		}
		if _, err := w.BeginTurn(t.Context(), w.question(user, session, "more")); !errors.Is(err, ErrTurnOpen) {
			t.Errorf("a question meanwhile: %v", err)
		}
		w.must(w.FinishTurn(t.Context(), turn, "The fast one.", parley.Details{}))
		if got := w.text(user, session); got != "user: Which ferry?\nassistant: The fast one." {
			t.Errorf("when finished: %s", got)
		}
		favorites, total, err := w.Favorites(t.Context(), user, parley.Page{Number: 1, Size: 10})
		w.must(err)
		if total != 1 || favorites[0].ID != favorite || favorites[0].Content != "The fast one." {
			t.Errorf("favorites are %+v", favorites)
		}
	})
}

func TestARedoThatFailsKeepsTheOldText(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		replyID := w.say(user, session, "Which ferry?", "The slow one.")
		seen := map[int64]bool{}
		for range 3 {
			turn, err := w.BeginTurn(t.Context(), NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
			w.must(err)
			w.must(w.FailTurn(t.Context(), turn, failure, w.tick()))
			reply, err := w.Reply(t.Context(), user, replyID)
			w.must(err)
			if reply.Content != "The slow one." || reply.Open {
				t.Errorf("the reply is %+v", reply)
			}
			// Readers identify a text by its attempt, so no number may be used for two texts.
			if seen[turn.Attempt] || turn.Attempt == reply.Attempt {
				t.Errorf("attempt %d comes again", turn.Attempt)
			}
			seen[turn.Attempt], seen[reply.Attempt] = true, true
			if err := w.FinishTurn(t.Context(), turn, "late", parley.Details{}); !errors.Is(err, ErrTurnLost) {
				t.Errorf("finish after the failure: %v", err)
			}
		}
	})
}

func TestAReplyIsFoundInEveryState(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session := w.session(ada, "")
		question := w.question(ada, session, "Which ferry?")
		turn, err := w.BeginTurn(t.Context(), question)
		w.must(err)

		open, err := w.Reply(t.Context(), ada, turn.ReplyID)
		w.must(err)
		if !open.Open || open.Attempt != 1 || open.QuestionID != question.QuestionID || open.SessionID != session {
			t.Errorf("open: %+v", open)
		}
		w.must(w.FinishTurn(t.Context(), turn, "The fast one.", parley.Details{Thinking: "hm"}))
		done, err := w.Reply(t.Context(), ada, turn.ReplyID)
		w.must(err)
		if done.Open || done.Content != "The fast one." || done.Details.Thinking != "hm" {
			t.Errorf("done: %+v", done)
		}
		for _, c := range []struct {
			user  int64
			reply string
		}{{bob, turn.ReplyID}, {ada, question.QuestionID}, {ada, id.New()}} {
			if _, err := w.Reply(t.Context(), c.user, c.reply); !errors.Is(err, parley.ErrNoSuchMessage) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		failed := w.begin(ada, session, "And back?")
		w.must(w.FailTurn(t.Context(), failed, failure, w.tick()))
		_, err = w.Reply(t.Context(), ada, failed.ReplyID)
		if !errors.Is(err, parley.ErrAIUnavailable) || strings.Contains(err.Error(), "asleep") {
			t.Errorf("failed: %v", err)
		}
		if _, err := w.Reply(t.Context(), bob, failed.ReplyID); !errors.Is(err, parley.ErrNoSuchMessage) {
			t.Errorf("another user's failure: %v", err)
		}
		w.must(w.Forget(t.Context(), w.now.Add(time.Second)))
		if _, err := w.Reply(t.Context(), ada, failed.ReplyID); !errors.Is(err, parley.ErrNoSuchMessage) {
			t.Errorf("a failure forgotten: %v", err)
		}
	})
}

func TestAKeyStandsForOneSend(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		sessions := []string{w.session(user, ""), w.session(user, ""), w.session(user, "")}
		questions := make([]NewTurn, len(sessions))
		for i, session := range sessions {
			questions[i] = w.question(user, session, "Which ferry?")
			questions[i].Key, questions[i].Digest = "key", "digest"
		}
		turns := make([]Turn, len(sessions))
		errs := parallel(len(questions), func(i int) (err error) {
			turns[i], err = w.BeginTurn(t.Context(), questions[i])
			return err
		})
		if count(errs) != 1 {
			t.Fatalf("%d sends were begun: %v", count(errs), errs)
		}
		for i, err := range errs {
			if err != nil && !errors.Is(err, ErrKeyTaken) {
				t.Error(err)
			}
			if err != nil {
				continue
			}
			key, found, findErr := w.FindKey(t.Context(), user, "key")
			w.must(findErr)
			if !found || key.ReplyID != turns[i].ReplyID || key.Digest != "digest" {
				t.Errorf("the key is bound to %+v, %v", key, found)
			}
			w.must(w.FailTurn(t.Context(), turns[i], failure, w.tick()))
		}
		if _, found, err := w.FindKey(t.Context(), user, "key"); found || err != nil {
			t.Errorf("the key of a failed send is taken: %v", err)
		}
		if _, found, err := w.FindKey(t.Context(), w.user(), "key"); found || err != nil {
			t.Errorf("the key is another user's too: %v", err)
		}
	})
}

func TestAKeyIsFreeAfterClearAndAfterItsDay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		for _, free := range []func() error{
			func() error { return w.ClearSession(t.Context(), user, session) },
			func() error { return w.Forget(t.Context(), w.tick()) },
			func() error { return w.DeleteSession(t.Context(), user, session) },
		} {
			question := w.question(user, session, "Which ferry?")
			question.Key = "key"
			turn, err := w.BeginTurn(t.Context(), question)
			w.must(err)
			w.must(w.FinishTurn(t.Context(), turn, "The fast one.", parley.Details{}))
			w.must(free())
			if _, found, err := w.FindKey(t.Context(), user, "key"); found || err != nil {
				t.Errorf("the key is still taken: %v", err)
			}
		}
	})
}

func TestHistoryIsWholeTurnsNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		for i := range 4 {
			w.say(user, session, numbered("q", i), numbered("r", i))
		}
		turn := w.begin(user, session, "open")
		turns, err := w.History(t.Context(), &Turn{UserID: user, SessionID: session}, turn.Number-1, 3)
		w.must(err)
		if fmt.Sprint(turns) != "[{q 3 r 3 []} {q 2 r 2 []} {q 1 r 1 []}]" {
			t.Errorf("history is %v", turns)
		}
	})
}
