package store

import (
	"errors"
	"strings"
	"testing"

	"parley"
)

// rated returns the counts of ratings by model.
func (w *world) rated() map[string][2]int64 {
	w.t.Helper()
	sums, err := w.TotalUsage(w.t.Context(), w.now, w.now, parley.ByModel, 10)
	w.must(err)
	counts := map[string][2]int64{}
	for _, sum := range sums {
		counts[sum.Model] = [2]int64{sum.RatedUp, sum.RatedDown}
	}
	return counts
}

// ratings returns the ratings of the visible messages of a session, as its history and its export have them.
func (w *world) ratings(user int64, session string) (ratings []int64) {
	w.t.Helper()
	messages, _, err := w.Messages(w.t.Context(), user, session, parley.Page{Number: 1, Size: 100})
	w.must(err)
	for _, m := range messages {
		ratings = append(ratings, m.Rating)
	}
	exported := 0
	w.must(w.ReadSession(w.t.Context(), user, session, func(SessionHead) error { exported = 0; return nil },
		func(m parley.Message) error {
			if m.Rating != ratings[exported] {
				w.t.Errorf("message %d has the rating %d, and %d in exports", exported+1, ratings[exported], m.Rating)
			}
			exported++
			return nil
		}))
	return ratings
}

func (w *world) wantRatings(user int64, session string, want ...int64) {
	w.t.Helper()
	got := w.ratings(user, session)
	if len(got) != len(want) {
		w.t.Fatalf("the ratings are %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			w.t.Errorf("the ratings are %v, want %v", got, want)
		}
	}
}

func TestRatingsAreCountedByModel(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user, session := w.user(), ""
		session = w.session(user, "Ferries")
		reply := func(details parley.Details) string {
			turn := w.begin(user, session, "question")
			w.must(w.FinishTurn(ctx, turn, "reply", details))
			return turn.ReplyID
		}
		first := reply(parley.Details{Usage: &parley.Usage{}})
		second := reply(parley.Details{Model: "large", Usage: &parley.Usage{}})
		imported := reply(parley.Details{})
		want := func(small, large [2]int64) {
			t.Helper()
			if got := w.rated(); got["small"] != small || got["large"] != large {
				t.Errorf("the counts are %v", got)
			}
		}
		for _, id := range []string{first, second, imported} {
			for range 2 { // once more changes nothing
				w.must(w.Rate(ctx, user, session, id, 1, "small"))
			}
		}
		want([2]int64{1, 0}, [2]int64{1, 0})
		w.wantRatings(user, session, 0, 1, 0, 1, 0, 1)
		w.must(w.Rate(ctx, user, session, second, -1, "small"))
		want([2]int64{1, 0}, [2]int64{0, 1})
		w.must(w.Rate(ctx, user, session, second, 0, "small"))
		want([2]int64{1, 0}, [2]int64{})
		w.wantRatings(user, session, 0, 1, 0, 0, 0, 1)
		w.must(w.Rate(ctx, user, session, first, 0, "renamed"))
		if got := w.rated()["renamed"]; got != [2]int64{} {
			t.Errorf("after the default model was renamed: %v", got)
		}
		w.must(w.Rate(ctx, user, session, second, 1, "small"))
		w.must(w.DeleteSession(ctx, user, session))
		if got := w.rated()["large"]; got != [2]int64{1, 0} {
			t.Errorf("after the session was deleted: %v", got)
		}
	})
}

func TestVersionsHaveTheirOwnRating(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user := w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "question")
		w.must(w.FinishTurn(ctx, turn, "first", parley.Details{}))
		w.must(w.Rate(ctx, user, session, turn.ReplyID, -1, "m"))
		redo, err := w.BeginTurn(ctx, NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
		w.must(err)
		if err := w.Rate(ctx, user, session, turn.ReplyID, 1, "m"); !errors.Is(err, parley.ErrReplyOpen) {
			t.Errorf("while it is regenerated: %v", err)
		}
		w.must(w.FinishTurn(ctx, redo, "second", parley.Details{}))
		w.wantRatings(user, session, 0, 0)
		w.must(w.Rate(ctx, user, session, turn.ReplyID, 1, "m"))
		w.wantRatings(user, session, 0, 1)
		w.must(w.ShowVersion(ctx, user, session, turn.ReplyID, 1))
		w.wantRatings(user, session, 0, -1)
	})
}

func TestWhatCanNotBeRated(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user, other := w.user(), w.user()
		session := w.session(user, "Ferries")
		turn := w.begin(user, session, "question")
		rate := func(user int64, session, id string) error { return w.Rate(ctx, user, session, id, 1, "m") }
		if err := rate(user, session, turn.ReplyID); !errors.Is(err, parley.ErrReplyOpen) {
			t.Errorf("a reply in progress: %v", err)
		}
		w.must(w.FinishTurn(ctx, turn, "reply", parley.Details{}))
		err := rate(user, session, turn.QuestionID)
		if !errors.Is(err, parley.ErrInvalid) || !strings.Contains(err.Error(), "a question can't be rated") {
			t.Errorf("a question: %v", err)
		}
		if err := rate(other, session, turn.ReplyID); !errors.Is(err, parley.ErrNoSuchMessage) {
			t.Errorf("of another user: %v", err)
		}
		if err := rate(user, w.session(user, ""), turn.ReplyID); !errors.Is(err, parley.ErrNoSuchMessage) {
			t.Errorf("in another session: %v", err)
		}
		w.wantRatings(user, session, 0, 0)
	})
}
