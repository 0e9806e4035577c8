package store

import (
	"testing"
	"time"

	"parley"
	"parley/internal/id"
)

// TestARetentionBeginsOnceForAllServers asks as sweeps of several servers do. Their notes are in the database.
func TestARetentionBeginsOnceForAllServers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		start := w.now
		for _, step := range []struct {
			name      string
			retention time.Duration
			minutes   int
			since     int // in minutes
			begun     bool
		}{
			{"none", 0, 0, 0, false},
			{"the first", time.Hour, 1, 1, true},
			{"the same later", time.Hour, 90, 1, false},
			{"a longer one", 2 * time.Hour, 91, 91, true},
			{"the same later", 2 * time.Hour, 92, 91, false},
			{"the clock was set back", 2 * time.Hour, 50, 50, true},
			{"turned off", 0, 60, 60, false},
			{"still off", 0, 61, 61, false},
			{"turned on again", 2 * time.Hour, 70, 70, true},
		} {
			now := start.Add(time.Duration(step.minutes) * time.Minute)
			since, begun, err := w.BeginRetention(t.Context(), step.retention, now)
			w.must(err)
			if want := start.Add(time.Duration(step.since) * time.Minute); !since.Equal(want) || begun != step.begun {
				t.Errorf("%s: since %s, begun %t, want %s", step.name, since, begun, want)
			}
		}
	})
}

// TestSessionsCountFromTheirImport stores a session with messages that are older than its id.
func TestSessionsCountFromTheirImport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		user, other := w.user(), w.user()
		old, pinned := w.session(user, "old"), w.session(other, "pinned")
		w.must(w.UpdateSession(ctx, other, pinned, SessionChange{Pinned: new(true)}))
		since := w.tick()
		imported := SessionKey{UserID: other, SessionID: id.At(w.tick())}
		w.must(w.CreateSession(ctx, NewSession{
			ID: imported.SessionID, UserID: other, Title: "imported", Now: since.Add(-time.Hour),
		}))
		count := func(since time.Time) parley.AgedSessions {
			t.Helper()
			aged, err := w.CountAged(ctx, since)
			w.must(err)
			return aged
		}
		if aged := count(since); aged != (parley.AgedSessions{Sessions: 1, Users: 1}) {
			t.Errorf("before the import counts: %+v", aged)
		}
		if deleted, err := w.DeleteAged(ctx, imported, since); err != nil || deleted {
			t.Errorf("the imported session was deleted, %v", err)
		}
		later := w.tick()
		if aged := count(later); aged != (parley.AgedSessions{Sessions: 2, Users: 2}) {
			t.Errorf("when the import counts: %+v", aged)
		}
		for _, key := range []SessionKey{imported, {UserID: user, SessionID: old}} {
			if deleted, err := w.DeleteAged(ctx, key, later); err != nil || !deleted {
				t.Errorf("%v was not deleted, %v", key, err)
			}
		}
		if aged := count(later); aged != (parley.AgedSessions{}) {
			t.Errorf("in the end: %+v", aged)
		}
	})
}
