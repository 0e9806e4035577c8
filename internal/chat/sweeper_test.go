package chat

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// use notes that servers use a retention since a time.
func use(t *testing.T, s *store.Store, retention time.Duration, since time.Time) {
	t.Helper()
	if _, _, err := s.BeginRetention(t.Context(), retention, since); err != nil {
		t.Fatal(err)
	}
}

// TestASweepStopsIfTheRetentionIsTurnedOff turns it off after the first batch of sessions.
func TestASweepStopsIfTheRetentionIsTurnedOff(t *testing.T) {
	s, userID := newService(t)
	const more = 3
	for range sweepBatch + more {
		storetest.Session(t, s.store, userID, time.Now())
	}
	batches := 0
	settings := func() parley.Settings {
		if batches++; batches > 1 {
			return parley.Settings{}
		}
		return parley.Settings{Retention: time.Hour}
	}
	sweeper := NewSweeper(SweeperConfig{
		Store: s.store, Library: s.library, Turns: s.turns, Log: slog.New(slog.DiscardHandler), Settings: settings,
		Now: func() time.Time { return time.Now().Add(2 * time.Hour) },
	})
	use(t, s.store, time.Hour, time.Now())
	if err := sweeper.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := s.Sessions(t.Context(), userID, parley.SessionFilter{}, parley.Page{Number: 1, Size: 20})
	if err != nil || left.Total != more {
		t.Errorf("%d sessions are left, want %d: %v", left.Total, more, err)
	}
}

// A sweep that has much to delete must not take the database from requests.
func TestASweepPausesAfterEachSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, userID := newService(t)
		const sessions = sweepBatch + 1
		for range sessions {
			storetest.Session(t, s.store, userID, time.Now())
		}
		begun := time.Now() // the clock advances only while everything waits
		sweeper := NewSweeper(SweeperConfig{
			Store: s.store, Library: s.library, Turns: s.turns, Log: slog.New(slog.DiscardHandler),
			Settings: func() parley.Settings { return parley.Settings{Retention: time.Hour} },
			Now:      func() time.Time { return begun.Add(2 * time.Hour) },
		})
		use(t, s.store, time.Hour, begun)
		if err := sweeper.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < sessions*sweepPause {
			t.Errorf("%d sessions were deleted in %s", sessions, took)
		}
	})
}
