package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"parley"
)

// stat returns what StatResponses finds of a response and of one that does not exist.
func (w *world) stat(userID int64, id string, now time.Time) (ResponseStat, bool) {
	w.t.Helper()
	found, err := w.StatResponses(w.t.Context(), userID, []string{id, "resp_none", id}, now)
	w.must(err)
	stat, ok := found[id]
	if len(found) > 1 {
		w.t.Errorf("found %v", found)
	}
	return stat, ok
}

func TestAResponseIsKeptUntilItsEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, user, other := t.Context(), w.user(), w.user()
		added := Response{
			ID: "resp_1", Open: true, Digest: "d", Context: []byte("context"), Created: w.now, Expires: w.now.Add(time.Minute),
		}
		w.must(w.AddResponse(ctx, user, added))
		if err := w.AddResponse(ctx, user, added); !errors.Is(err, ErrResponseTaken) {
			t.Errorf("the same id again: %v", err)
		}
		w.must(w.AddResponse(ctx, other, added))
		w.must(w.ExtendResponse(ctx, user, "resp_1", w.now.Add(2*time.Minute)))
		if stat, ok := w.stat(user, "resp_1", w.now.Add(time.Minute)); !ok || !stat.Open || stat.Context != 7 {
			t.Errorf("an extended one: %v, %+v", ok, stat)
		}
		if _, ok, err := w.ResponseContext(ctx, user, "resp_1"); ok || err != nil {
			t.Errorf("the context of an open one: %v, %v", ok, err)
		}
		w.must(w.FinishResponse(ctx, user, "resp_1", []byte("data"), w.now.Add(time.Hour)))
		w.must(w.ExtendResponse(ctx, user, "resp_1", w.now)) // it is complete
		stat, ok := w.stat(user, "resp_1", w.now.Add(time.Minute))
		if !ok || stat != (ResponseStat{ID: "resp_1", Digest: "d", Context: 7, Data: 4}) {
			t.Errorf("found %v: %+v", ok, stat)
		}
		before, _, err := w.ResponseContext(ctx, user, "resp_1")
		w.must(err)
		data, _, err := w.ResponseData(ctx, user, "resp_1", false)
		w.must(err)
		if string(before)+string(data) != "contextdata" {
			t.Errorf("read %q and %q", before, data)
		}
		if _, ok, err := w.ResponseData(ctx, user, "resp_1", true); ok || err != nil {
			t.Errorf("it is no longer open: %v, %v", ok, err)
		}
		// That of the other user was never completed.
		if _, ok := w.stat(other, "resp_1", w.now.Add(time.Minute)); ok {
			t.Error("an open one is found at its end")
		}
		added.Created = w.now.Add(time.Minute)
		added.Expires = w.now.Add(2 * time.Minute)
		w.must(w.AddResponse(ctx, other, added))

		more, err := w.SweepResponses(ctx, w.now.Add(3*time.Minute), 10)
		w.must(err)
		if n := number(t, w.Store, `SELECT count(*) FROM responses`); n != 1 || more {
			t.Errorf("the sweep left %d", n)
		}
		w.must(w.remove(user))
		if n := number(t, w.Store, `SELECT count(*) FROM responses`); n != 0 {
			t.Errorf("the account left %d", n)
		}
	})
}

// TestParallelResponsesAreLimited has a user store many responses at once when there is room for three, by their
// number and by their size.
func TestParallelResponsesAreLimited(t *testing.T) {
	const room, calls = 3, 20
	for name, filler := range map[string]struct {
		count, size, next, room int
	}{
		"number": {count: maxResponses - room},
		"size":   {count: 1, size: maxResponseBytes - room*100, next: 100},
		"room":   {count: 1, size: maxResponseBytes - room*100, room: 100},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				user, end := w.user(), w.now.Add(time.Hour)
				w.run(fmt.Sprintf(`
					WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
					INSERT INTO responses (user_id, id, open, digest, size, created_at, expires_at, context, data)
					SELECT %d, 'p' || i, 0, '', %d, 0, %d, '', '' FROM n`, filler.count, user, filler.size, micros(end)))
				stored := 0
				for _, err := range parallel(calls, func(i int) error {
					return w.AddResponse(t.Context(), user, Response{
						ID: fmt.Sprint("resp_", i), Data: make([]byte, filler.next), Room: filler.room, Created: w.now, Expires: end,
					})
				}) {
					if err == nil {
						stored++
					} else if !errors.Is(err, parley.ErrTooManyResponses) {
						t.Error(err)
					}
				}
				if stored != room {
					t.Errorf("%d of %d were stored at once", stored, calls)
				}
			})
		})
	}
}

func TestAUsersResponsesAreLimited(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, end := w.user(), w.now.Add(time.Hour)
		w.run(fmt.Sprintf(`INSERT INTO responses (user_id, id, open, digest, size, created_at, expires_at, context, data)
			VALUES (%d, 'large', 0, '', %d, 0, %d, '', '')`, user, maxResponseBytes, micros(end)))
		next := Response{ID: "resp_1", Created: w.now, Expires: end}
		if err := w.AddResponse(t.Context(), user, next); !errors.Is(err, parley.ErrTooManyResponses) {
			t.Errorf("over the limit: %v", err)
		}
		w.must(w.DeleteResponse(t.Context(), user, "large"))
		w.must(w.AddResponse(t.Context(), user, next))
		open := Response{ID: "resp_2", Open: true, Room: maxResponseBytes - 100, Created: w.now, Expires: end}
		w.must(w.AddResponse(t.Context(), user, open))
		next.ID, next.Data = "resp_3", make([]byte, 200)
		if err := w.AddResponse(t.Context(), user, next); !errors.Is(err, parley.ErrTooManyOpen) {
			t.Errorf("over the limit until an open one is finished: %v", err)
		}
		w.must(w.FinishResponse(t.Context(), user, open.ID, nil, end))
		w.must(w.AddResponse(t.Context(), user, next))
	})
}
