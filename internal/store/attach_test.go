package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/internal/id"
	"parley/internal/testdb"
)

// attach opens the database as another process does.
func attach(t *testing.T, dir, url string) *Store {
	t.Helper()
	s, err := Attach(t.Context(), dir, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestACommandWorksBesideAServer(t *testing.T) {
	template.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		user := w.user()
		w.lease("server", time.Minute)
		command := attach(t, w.dir, url)
		errs := parallel(4, func(n int) error {
			for range 20 {
				var err error
				if n%2 == 0 {
					session := NewSession{ID: id.New(), UserID: user, Title: "by the server", Now: w.now}
					err = w.CreateSession(t.Context(), session)
				} else {
					err = command.DisableUser(t.Context(), 0, user, w.now)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		w.must(errors.Join(errs...))
		if found, _, err := w.UserByID(t.Context(), user); err != nil || found.DisabledAt != w.now.Unix() {
			t.Errorf("the server sees %+v, %v", found, err)
		}
		if n := number(t, w.Store, `SELECT count(*) FROM owners`); n != 1 {
			t.Errorf("the command has forgotten the server's lease")
		}
	})
}

func TestOpeningAgainChangesNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		var before string
		for range 3 {
			s, err := Open(t.Context(), dir, url)
			if err != nil {
				t.Fatal(err)
			}
			versions := fmt.Sprint(
				number(t, s, `SELECT count(*) FROM goose_db_version`),
				number(t, s, `SELECT max(version_id) FROM goose_db_version`))
			if before != "" && versions != before || !strings.HasSuffix(versions, fmt.Sprint(Schema())) {
				t.Errorf("migrations were %s, are %s", before, versions)
			}
			before = versions
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAServerHearsOfWhatACommandHasWritten is for SQLite: with PostgreSQL commands send signals.
func TestAServerHearsOfWhatACommandHasWritten(t *testing.T) {
	w := newWorld(t, "")
	user := w.user()
	heard := make(chan Signal)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Listener(slog.New(slog.DiscardHandler), func(s Signal) {
			select {
			case heard <- s:
			case <-ctx.Done():
			}
		}).Run(ctx)
	}()
	command := attach(t, w.dir, "")
	// The listener may start after the first changes, so there are more until it has noticed one.
	for done := false; !done; {
		w.must(errors.Join(command.DisableUser(t.Context(), 0, user, w.now), command.EnableUser(t.Context(), user)))
		select {
		case s := <-heard:
			done = true
			if s.Kind != Missed {
				t.Errorf("received %+v", s)
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
	cancel()
	<-ended
}
