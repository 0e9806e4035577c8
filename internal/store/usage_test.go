package store

import (
	"errors"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// used returns the sums of a user on the days of a world.
func (w *world) used(userID int64, byModel bool) []UsageSum {
	w.t.Helper()
	sums, err := w.Usage(w.t.Context(), userID, w.now.Add(-24*time.Hour), w.now.Add(24*time.Hour), byModel)
	w.must(err)
	return sums
}

// tokens returns a usage.
func tokens(input, output int64) parley.Usage {
	return parley.Usage{InputTokens: input, OutputTokens: output}
}

// spend opens a turn and closes it with a usage of the model.
func (w *world) spend(userID int64, sessionID, model string, usage parley.Usage) Turn {
	w.t.Helper()
	turn := w.begin(userID, sessionID, "question")
	turn.Spent = Spent{Model: model, Usage: usage, Messages: 1, Cost: 7, Currency: "USD", At: w.now}
	w.must(w.FinishTurn(w.t.Context(), turn, "reply", parley.Details{Usage: &usage}))
	return turn
}

func TestUsageIsSummedUpByDayAndModel(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		session := w.session(ada, "")
		w.now = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
		w.spend(ada, session, "small", tokens(10, 5))
		w.spend(ada, session, "small", parley.Usage{InputTokens: 1, OutputTokens: 4, ThinkingTokens: 3, Estimated: true})
		w.spend(ada, session, "large", tokens(100, 50))
		w.now = time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
		turn := w.spend(ada, session, "small", tokens(1000, 500))
		w.must(w.AddUsage(t.Context(), ada, Spent{Model: "small", Usage: tokens(2, 2), At: w.now})) // a title

		byDay := w.used(ada, false)
		if len(byDay) != 2 || byDay[0].Usage.InputTokens != 111 || byDay[0].Messages != 3 || byDay[0].Cost != 21 ||
			!byDay[0].Usage.Estimated || byDay[0].Usage.ThinkingTokens != 3 || byDay[0].Currency != "USD" ||
			byDay[1].Day != byDay[0].Day+1 || byDay[1].Usage != tokens(1002, 502) || byDay[1].Messages != 1 {
			t.Errorf("by day: %+v", byDay)
		}
		byModel := w.used(ada, true)
		if len(byModel) != 2 || byModel[0].Model != "small" || byModel[0].Messages != 3 ||
			byModel[1].Model != "large" || byModel[1].Usage != tokens(100, 50) {
			t.Errorf("by model: %+v", byModel)
		}
		if others := w.used(bob, false); len(others) != 0 {
			t.Errorf("another user: %+v", others)
		}
		reply, err := w.Reply(t.Context(), ada, turn.ReplyID)
		if err != nil || reply.Details.Usage == nil || *reply.Details.Usage != tokens(1000, 500) {
			t.Errorf("the reply has %+v, %v", reply.Details.Usage, err)
		}
		w.must(w.DeleteSession(t.Context(), ada, session))
		if after := w.used(ada, false); len(after) != 2 || after[0] != byDay[0] {
			t.Errorf("after the session was deleted: %+v", after)
		}
		w.must(w.remove(ada))
		if after := w.used(ada, false); len(after) != 0 {
			t.Errorf("after the account was deleted: %+v", after)
		}
		w.must(w.AddUsage(t.Context(), ada, Spent{Model: "small", Usage: tokens(2, 2), At: w.now}))
		w.must(w.EndCall(t.Context(), ada, "call", Spent{Model: "small", Usage: tokens(2, 2), At: w.now}))
	})
}

func TestATurnIsCountedOnlyByWhoCloses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		w.lease("owner", -time.Hour)
		old := w.begin(user, session, "question")
		w.lease("heir", time.Hour)
		taken, err := w.TakeOver(t.Context(), "heir", 10)
		w.must(err)
		spent := Spent{Model: "m", Usage: tokens(1, 1), Messages: 1, At: w.now}
		old.Spent, taken[0].Spent = spent, spent
		if err := w.FinishTurn(t.Context(), old, "text", parley.Details{}); !errors.Is(err, ErrTurnLost) {
			t.Fatal(err)
		}
		w.must(w.AddAbandoned(t.Context(), old)) // the reply exists
		if sums := w.used(user, false); len(sums) != 0 {
			t.Errorf("before the reply is complete: %+v", sums)
		}
		w.must(w.FinishTurn(t.Context(), taken[0], "text", parley.Details{}))
		if err := w.FinishTurn(t.Context(), taken[0], "text", parley.Details{}); !errors.Is(err, ErrTurnLost) {
			t.Fatal(err)
		}
		if sums := w.used(user, false); len(sums) != 1 || sums[0].Messages != 1 {
			t.Errorf("after the reply: %+v", sums)
		}
		failed := w.begin(user, session, "another")
		w.must(w.FailTurn(t.Context(), failed, failure, w.tick()))
		deleted := w.begin(user, session, "another")
		deleted.Spent = spent
		w.must(w.ClearSession(t.Context(), user, session))
		w.must(w.AddAbandoned(t.Context(), deleted))
		if sums := w.used(user, false); len(sums) != 1 || sums[0].Messages != 2 {
			t.Errorf("after a clear: %+v", sums)
		}
	})
}

func TestAQuotaCountsWhatIsInProgress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		first, second := w.session(user, ""), w.session(user, "")
		begin := func(session string, quota parley.Quota) (Turn, error) {
			question := w.question(user, session, "question")
			question.Reservation = Reservation{Quota: quota, Tokens: 100}
			return w.BeginTurn(t.Context(), question)
		}
		for _, quota := range []parley.Quota{{Messages: 1}, {Tokens: 100}, {Messages: 9, Tokens: 1}} {
			turn, err := begin(first, quota)
			w.must(err)
			if _, err := begin(second, quota); !errors.Is(err, parley.ErrQuotaReserved) {
				t.Errorf("%v: beside a turn in progress: %v", quota, err)
			}
			if _, err := begin(first, quota); !errors.Is(err, ErrTurnOpen) {
				t.Errorf("%v: in the session of the turn in progress: %v", quota, err)
			}
			err = w.BeginCall(t.Context(), user, id.New(), Reservation{Quota: quota, Tokens: 100}, w.now, w.now.Add(time.Hour))
			if !errors.Is(err, parley.ErrQuotaReserved) {
				t.Errorf("%v: a call beside a turn in progress: %v", quota, err)
			}
			w.must(w.FailTurn(t.Context(), turn, failure, w.tick()))
		}
		if count := number(t, w.Store, `SELECT count(*) FROM messages WHERE user_id = $1`, user); count != 0 {
			t.Errorf("%d messages of refused turns are stored", count)
		}
	})
}

func TestAUsedQuotaRefusesEveryTurnUntilTheDayEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		w.now = time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
		spent := w.spend(user, session, "m", tokens(60, 40))
		for _, quota := range []parley.Quota{{Messages: 1}, {Tokens: 100}, {Messages: 2, Tokens: 99}} {
			question := w.question(user, session, "question")
			edit := w.question(user, session, "question")
			edit.Replaces = spent.QuestionID
			redo := NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true, Now: w.now}
			for _, turn := range []NewTurn{question, edit, redo} {
				turn.Reservation = Reservation{Quota: quota, Tokens: 100}
				_, err := w.BeginTurn(t.Context(), turn)
				var failed *parley.Error
				if !errors.As(err, &failed) || !errors.Is(err, parley.ErrQuotaUsed) || failed.RetryAfter <= 0 ||
					failed.RetryAfter > time.Hour {
					t.Errorf("%v: %v", quota, err)
				}
				turn.Now = w.now.Add(time.Hour)
				begun, err := w.BeginTurn(t.Context(), turn)
				w.must(err)
				w.must(w.FailTurn(t.Context(), begun, failure, w.tick()))
			}
		}
		audit(t, w.Store)
	})
}

func TestParallelTurnsOfAUserKeepToTheQuota(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		quota := parley.Quota{Messages: 5}
		turns := make([]NewTurn, 40)
		for i := range turns {
			turns[i] = w.question(user, w.session(user, ""), "question")
			turns[i].Reservation = Reservation{Quota: quota, Tokens: 1}
		}
		begun := count(parallel(len(turns), func(i int) error {
			_, err := w.BeginTurn(t.Context(), turns[i])
			if err != nil && !errors.Is(err, parley.ErrQuotaReserved) {
				t.Errorf("turn %d: %v", i, err)
			}
			return err
		}))
		if begun != 5 {
			t.Errorf("%d turns have begun, want 5", begun)
		}
	})
}

func TestACallThatNeverEndsExpires(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		r := Reservation{Quota: parley.Quota{Messages: 1}, Tokens: 1}
		begin := func(callID string) error {
			return w.BeginCall(t.Context(), user, callID, r, w.now, w.now.Add(time.Minute))
		}
		w.must(begin("first"))
		if err := begin("second"); !errors.Is(err, parley.ErrQuotaReserved) {
			t.Errorf("got %v", err)
		}
		w.now = w.now.Add(time.Minute)
		w.must(begin("third"))
		w.must(w.EndCall(t.Context(), user, "third", Spent{})) // it failed
		w.must(begin("fourth"))
		w.must(w.EndCall(t.Context(), user, "fourth", Spent{Model: "m", Usage: tokens(1, 1), Messages: 1, At: w.now}))
		if err := begin("fifth"); !errors.Is(err, parley.ErrQuotaUsed) {
			t.Errorf("got %v", err)
		}
	})
}

func TestEachReplyOfACallIsReserved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		begin := func(callID string, quota parley.Quota, replies int) error {
			r := Reservation{Quota: quota, Tokens: 100, Replies: replies}
			return w.BeginCall(t.Context(), user, callID, r, w.now, w.now.Add(time.Minute))
		}
		for _, quota := range []parley.Quota{{Messages: 4}, {Tokens: 301}} {
			if err := begin("too many", quota, 5); !errors.Is(err, parley.ErrQuotaReserved) {
				t.Errorf("%v: five replies: %v", quota, err)
			}
			w.must(begin("three", quota, 3))
			if err := begin("two", quota, 2); !errors.Is(err, parley.ErrQuotaReserved) {
				t.Errorf("%v: two replies beside three: %v", quota, err)
			}
			w.must(begin("one", quota, 1))
			if err := begin("another", quota, 1); !errors.Is(err, parley.ErrQuotaReserved) {
				t.Errorf("%v: a fifth reply: %v", quota, err)
			}
			w.must(w.EndCall(t.Context(), user, "three", Spent{}))
			if count := number(t, w.Store, `SELECT count(*) FROM usage_calls WHERE user_id = $1`, user); count != 1 {
				t.Errorf("%v: %d replies are reserved, want 1", quota, count)
			}
			w.must(w.EndCall(t.Context(), user, "one", Spent{}))
		}
	})
}

func TestTheUsageOfAllUsersIsSummedUp(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		adas, bobs := w.session(ada, ""), w.session(bob, "")
		w.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		w.spend(ada, adas, "small", tokens(10, 5))
		w.spend(bob, bobs, "large", tokens(100, 50))
		w.now = w.now.Add(24 * time.Hour)
		w.spend(ada, adas, "small", tokens(1, 1))
		w.now = w.now.Add(48 * time.Hour)
		w.spend(ada, adas, "small", tokens(9999, 9999)) // after the range
		from := w.now.Add(-72 * time.Hour)
		total := func(by string, limit int) []UsageSum {
			t.Helper()
			sums, err := w.TotalUsage(t.Context(), from, from.Add(24*time.Hour), by, limit)
			w.must(err)
			return sums
		}
		byDay := total(parley.ByDay, 10)
		if len(byDay) != 2 || byDay[0].Usage != tokens(110, 55) || byDay[0].Messages != 2 || byDay[0].Cost != 14 ||
			byDay[0].Currency != "USD" || byDay[1].Usage != tokens(1, 1) || byDay[1].Day != byDay[0].Day+1 {
			t.Errorf("by day: %+v", byDay)
		}
		byModel := total(parley.ByModel, 10)
		if len(byModel) != 2 || byModel[0].Model != "large" || byModel[0].Usage != tokens(100, 50) ||
			byModel[1].Model != "small" || byModel[1].Usage != tokens(11, 6) || byModel[1].Day != 0 {
			t.Errorf("by model: %+v", byModel)
		}
		user, _, err := w.UserByID(t.Context(), bob)
		w.must(err)
		byUser := total(parley.ByUser, 10)
		if len(byUser) != 2 || byUser[0].UserID != bob || byUser[0].Email != user.Email ||
			byUser[0].Usage != tokens(100, 50) || byUser[1].UserID != ada || byUser[1].Messages != 2 {
			t.Errorf("by user: %+v", byUser)
		}
		if most := total(parley.ByUser, 1); len(most) != 1 || most[0] != byUser[0] {
			t.Errorf("the user with the most: %+v", most)
		}
		if public := byUser[0].Public(); public.Day != "" || public.Model != "" {
			t.Errorf("a user's sum has a day or a model: %+v", public)
		}
	})
}
