package responses

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/store/storetest"
)

func TestAResponseIsKeptForADay(t *testing.T) {
	each(t, func(w *world) {
		ended, cancel := context.WithCancel(w.Context())
		cancel() // a response is stored even if its client has left
		w.must(w.Begin(ended, w.response("resp_1", "before", "begun"), MaxSize, 10*time.Minute))
		data, open, err := w.Read(w.Context(), w.user, "resp_1", anySize)
		if string(data) != "begun" || !open || err != nil {
			t.Errorf("an open response is %q, %v, %v", data, open, err)
		}
		for name, read := range map[string]func(context.Context, int64, string) ([]byte, error){
			"conversation": w.Conversation, "data": w.Data,
		} {
			if _, err := read(w.Context(), w.user, "resp_1"); !errors.Is(err, ErrNotFound) {
				t.Errorf("the %s of an open response: %v", name, err)
			}
		}
		w.must(w.Finish(ended, w.response("resp_1", "", "complete")))
		before, err := w.Conversation(w.Context(), w.user, "resp_1")
		w.must(err)
		whole, err := w.Data(w.Context(), w.user, "resp_1")
		w.must(err)
		data, open, err = w.Read(w.Context(), w.user, "resp_1", anySize)
		if string(before) != "before" || string(whole) != "complete" || string(data) != "complete" || open || err != nil {
			t.Errorf("a complete response is %q, %q, %q, %v, %v", before, whole, data, open, err)
		}
		stats, err := w.Find(w.Context(), w.user, "resp_1", "resp_2")
		if want := (Stat{ID: "resp_1", Context: 6, Data: 8}); len(stats) != 1 || stats["resp_1"] != want || err != nil {
			t.Errorf("found %+v, %v", stats, err)
		}

		other := storetest.User(t, w.database, w.clock.now())
		if _, _, err := w.Read(w.Context(), other, "resp_1", anySize); !errors.Is(err, ErrNotFound) {
			t.Errorf("another user's: %v", err)
		}
		w.clock.forward(24*time.Hour - time.Second)
		if _, _, err := w.Read(w.Context(), w.user, "resp_1", anySize); err != nil {
			t.Errorf("after less than a day: %v", err)
		}
		w.clock.forward(time.Second)
		if _, _, err := w.Read(w.Context(), w.user, "resp_1", anySize); !errors.Is(err, ErrNotFound) {
			t.Errorf("after a day: %v", err)
		}
	})
}

func TestAnOpenResponseEndsWithItsModel(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.Begin(w.Context(), w.response("resp_1", "", "begun"), MaxSize, 10*time.Minute))
		w.clock.forward(10 * time.Minute)
		if stats, err := w.Find(w.Context(), w.user, "resp_1"); len(stats) != 1 || err != nil {
			t.Errorf("its model may just have ended: %v, %v", stats, err)
		}
		w.clock.forward(openSlack)
		if stats, err := w.Find(w.Context(), w.user, "resp_1"); len(stats) != 0 || err != nil {
			t.Errorf("found %v, %v", stats, err)
		}
	})
}

func TestASizeIsHeldBeforeTheResponseIsLoaded(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.Begin(w.Context(), w.response("resp_1", "before", "begun"), MaxSize, time.Minute))
		var asked int64
		_, _, err := w.Read(w.Context(), w.user, "resp_1", func(bytes int64) bool {
			asked = bytes
			return false
		})
		if asked != int64(len("begun")) || !errors.Is(err, parley.ErrOverloaded) {
			t.Errorf("held %d bytes, %v", asked, err)
		}
	})
}

// TestOpenResponsesCountWithTheirRoom begins as many responses as a user may have if each becomes as large as it may.
func TestOpenResponsesCountWithTheirRoom(t *testing.T) {
	each(t, func(w *world) {
		const fit = 16
		for i := range fit {
			w.must(w.Begin(w.Context(), w.response(fmt.Sprint("resp_", i), "before", "begun"), MaxSize, time.Minute))
		}
		next := w.response("resp_next", "", "")
		if err := w.Begin(w.Context(), next, MaxSize, time.Minute); !errors.Is(err, parley.ErrTooManyOpen) {
			t.Errorf("one more: %v", err)
		}
		for i := range fit {
			w.must(w.Finish(w.Context(), w.response(fmt.Sprint("resp_", i), "", "short")))
		}
		w.must(w.Begin(w.Context(), next, MaxSize, time.Minute))
	})
}

func TestAResponseHasRoomForItsReply(t *testing.T) {
	for bytes, want := range map[int]bool{0: true, MaxSize / 2: true, MaxSize/2 + 1: false, MaxSize: false} {
		if got := HasRoom(bytes); got != want {
			t.Errorf("%d bytes: %v", bytes, got)
		}
	}
}

// TestAResponseOfAnotherProcessIsAwaited awaits a completed one and a deleted one.
func TestAResponseOfAnotherProcessIsAwaited(t *testing.T) {
	each(t, func(w *world) {
		w.must(w.Begin(w.Context(), w.response("resp_1", "", "begun"), MaxSize, time.Minute))
		w.must(w.Begin(w.Context(), w.response("resp_2", "", "begun"), MaxSize, time.Hour))
		left, cancel := context.WithCancel(w.Context())
		cancel()
		if err := w.Await(left, w.user, "resp_1"); !errors.Is(err, context.Canceled) {
			t.Errorf("the client has left: %v", err)
		}
		awaited := map[string]chan error{"resp_1": make(chan error), "resp_2": make(chan error)}
		for id, result := range awaited {
			go func() { result <- w.Await(w.Context(), w.user, id) }()
		}
		w.clock.forward(time.Minute + openSlack)
		w.must(w.Finish(w.Context(), w.response("resp_2", "", "complete")))
		if err := <-awaited["resp_1"]; !errors.Is(err, ErrNotFound) {
			t.Errorf("its process has died: %v", err)
		}
		if err := <-awaited["resp_2"]; err != nil {
			t.Errorf("it is complete: %v", err)
		}
	})
}

func TestExpiredResponsesAreDeleted(t *testing.T) {
	each(t, func(w *world) {
		for i := range sweepBatch + 1 {
			w.must(w.Finish(w.Context(), w.begun(fmt.Sprint("resp_", i))))
		}
		w.clock.forward(keptFor)
		w.must(w.Begin(w.Context(), w.response("resp_new", "", "begun"), MaxSize, time.Minute))
		w.must(w.sweep(w.Context()))
		// To the past, all that are left have not expired.
		w.clock.forward(-keptFor)
		var ids []string
		for i := range sweepBatch + 1 {
			ids = append(ids, fmt.Sprint("resp_", i))
		}
		stats, err := w.Find(w.Context(), w.user, append(ids, "resp_new")...)
		if _, found := stats["resp_new"]; len(stats) != 1 || !found || err != nil {
			t.Errorf("%d are left, %v", len(stats), err)
		}
	})
}

// begun begins a response and returns it.
func (w *world) begun(id string) Response {
	w.Helper()
	r := w.response(id, "", "begun")
	w.must(w.Begin(w.Context(), r, MaxSize, time.Minute))
	r.Data = []byte("complete")
	return r
}
