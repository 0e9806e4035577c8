package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"parley"
)

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
		if _, ok, err := w.FindResponse(ctx, user, "resp_1", w.now.Add(time.Minute)); !ok || err != nil {
			t.Errorf("an extended one: %v, %v", ok, err)
		}
		w.must(w.FinishResponse(ctx, user, "resp_1", []byte("data"), w.now.Add(time.Hour)))
		w.must(w.ExtendResponse(ctx, user, "resp_1", w.now)) // it is complete
		found, ok, err := w.FindResponse(ctx, user, "resp_1", w.now.Add(time.Minute))
		w.must(err)
		if !ok || found.Open || string(found.Context)+string(found.Data)+found.Digest != "contextdatad" {
			t.Errorf("found %v: %+v", ok, found)
		}
		// That of the other user was never completed.
		if _, ok, err := w.FindResponse(ctx, other, "resp_1", w.now.Add(time.Minute)); ok || err != nil {
			t.Errorf("an open one at its end: %v, %v", ok, err)
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
	})
}
