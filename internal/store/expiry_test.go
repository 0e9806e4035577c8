package store

import (
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// temporary creates a session with a time of its own.
func (w *world) temporary(userID int64, life time.Duration) SessionKey {
	w.t.Helper()
	session := NewSession{ID: id.New(), UserID: userID, Title: "temporary", Now: w.tick(), ExpiresAt: w.now.Add(life)}
	w.must(w.CreateSession(w.t.Context(), session))
	return SessionKey{UserID: userID, SessionID: session.ID}
}

func TestASessionWhoseTimeHasComeIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		kept := w.session(ada, "kept")
		w.say(ada, kept, "question", "reply")
		first, later := w.temporary(ada, time.Hour), w.temporary(bob, 2*time.Hour)
		reply := w.say(ada, first.SessionID, "question", "reply")
		_, err := w.AddFavorite(t.Context(), ada, first.SessionID, reply, id.New(), w.tick())
		w.must(err)
		file := w.file(ada, first.SessionID)
		open := w.begin(bob, later.SessionID, "open")

		if found, err := w.ExpiredSessions(t.Context(), w.now, 10); len(found) > 0 || err != nil {
			t.Errorf("before the time: %v, %v", found, err)
		}
		if deleted, err := w.DeleteExpired(t.Context(), first, w.now); deleted || err != nil {
			t.Errorf("it is deleted too early: %v", err)
		}
		end := w.now.Add(3 * time.Hour)
		found, err := w.ExpiredSessions(t.Context(), end, 10)
		w.must(err)
		if !slices.Equal(found, []SessionKey{first, later}) {
			t.Errorf("the sessions that are due are %v", found)
		}
		for _, want := range []bool{true, false} { // the second replica comes too late
			for _, key := range found {
				if deleted, err := w.DeleteExpired(t.Context(), key, end); deleted != want || err != nil {
					t.Errorf("deleted is %v, %v, want %v", deleted, err, want)
				}
			}
		}
		w.index()
		if stale := w.stale(end); !slices.Contains(stale, file) {
			t.Errorf("the bytes to delete are those of %v", stale)
		}
		if err := w.FinishTurn(t.Context(), open, "late", parley.Details{}); err == nil {
			t.Error("the turn of a deleted session was finished")
		}
		titles, total := w.titles(ada, parley.Page{Number: 1, Size: 10})
		if !slices.Equal(titles, []string{"kept"}) || total != 1 {
			t.Errorf("left are %v of %d", titles, total)
		}
	})
}

func TestRetentionSparesFavorites(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		var keys []SessionKey
		for range 4 {
			key := SessionKey{UserID: user, SessionID: w.session(user, "old")}
			w.say(user, key.SessionID, "question", "reply")
			keys = append(keys, key)
		}
		last := w.say(user, keys[1].SessionID, "question", "favorite")
		_, err := w.AddFavorite(t.Context(), user, keys[1].SessionID, last, id.New(), w.tick())
		w.must(err)
		since := w.tick()
		w.say(user, keys[2].SessionID, "question", "fresh")

		var listed, gone []SessionKey
		for after := (AgedSession{}); ; {
			found, err := w.AgedSessions(t.Context(), since, after, 2)
			w.must(err)
			for _, aged := range found {
				listed = append(listed, aged.SessionKey)
				deleted, err := w.DeleteAged(t.Context(), aged.SessionKey, since)
				w.must(err)
				if deleted {
					gone = append(gone, aged.SessionKey)
				}
				after = aged
			}
			if len(found) < 2 {
				break
			}
		}
		if want := []SessionKey{keys[0], keys[3], keys[1]}; !slices.Equal(listed, want) {
			t.Errorf("listed are %v, want %v", listed, want)
		}
		if want := []SessionKey{keys[0], keys[3]}; !slices.Equal(gone, want) {
			t.Errorf("deleted are %v, want %v", gone, want)
		}
		if deleted, err := w.DeleteAged(t.Context(), keys[2], since); deleted || err != nil {
			t.Errorf("a session with a new message was deleted: %v", err)
		}
	})
}
