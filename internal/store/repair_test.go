package store

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/db"
	"parley/internal/id"
)

// kinds returns the kinds of data that an audit finds wrong.
func (w *world) kinds() map[AuditKind]bool {
	w.t.Helper()
	findings, err := w.Audit(w.t.Context())
	w.must(err)
	kinds := map[AuditKind]bool{}
	for _, finding := range findings {
		kinds[finding.Kind] = true
	}
	return kinds
}

func TestCountersThatAreWrongAreFoundAndSet(t *testing.T) {
	for name, damage := range map[string]string{
		"sessions":     `UPDATE users SET session_count = session_count + 1`,
		"archived":     `UPDATE users SET archived_count = archived_count + 1`,
		"favorites":    `UPDATE users SET favorite_count = 7`,
		"messages":     `UPDATE sessions SET message_count = 0`,
		"last message": `UPDATE sessions SET last_message_at = 1`,
		"activity":     `UPDATE sessions SET active_at = active_at + 1`,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				user := w.user()
				talked := w.session(user, "talked")
				w.say(user, talked, "Hello", "Hi")
				w.session(user, "empty")
				before := w.dump()
				w.run(damage)
				if kinds := w.kinds(); len(kinds) != 1 || !kinds[Counters] {
					t.Fatalf("found are %v", kinds)
				}
				n, err := w.Recount(t.Context())
				w.must(err)
				if n == 0 || len(w.kinds()) != 0 || w.dump() != before {
					t.Errorf("%d were counted; found are %v", n, w.kinds())
				}
			})
		})
	}
}

func TestCountersAreSetWhileAServerWrites(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.run(`UPDATE users SET session_count = 99`)
		errs := parallel(4, func(n int) error {
			if n == 0 {
				_, err := w.Recount(t.Context())
				return err
			}
			var errs []error
			for range 10 {
				errs = append(errs, w.CreateSession(t.Context(), NewSession{ID: id.New(), UserID: user, Title: "x", Now: w.now}))
			}
			return errors.Join(errs...)
		})
		w.must(errors.Join(errs...)) // the audit at the end checks the counters
	})
}

func TestTurnsAreCountedByTheirOwners(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.own(user, "alive")
		w.own(user, "dead")
		w.lease("alive", time.Hour)
		if got, err := w.CountTurns(t.Context()); err != nil || got != (TurnCounts{Open: 2, Orphaned: 1, Owners: 1}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestSQLiteFindsRowsThatReferToNothing(t *testing.T) {
	dir := t.TempDir()
	w := &world{Store: openStore(t, dir, ""), t: t, now: time.Unix(1_767_225_600, 0)}
	w.session(w.user(), "one")
	if found, err := w.Integrity(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
	pool, err := sql.Open("sqlite", filepath.Join(dir, db.SQLiteFile)) // enforces no references
	w.must(err)
	_, err = pool.ExecContext(t.Context(), `DELETE FROM users`)
	w.must(errors.Join(err, pool.Close()))
	found, err := w.Integrity(t.Context())
	if err != nil || len(found) == 0 || !strings.HasSuffix(found[0], " refers to a row of users that is not there") {
		t.Errorf("found %v, %v", found, err)
	}
}
