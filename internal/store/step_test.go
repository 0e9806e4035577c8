package store

import (
	"errors"
	"slices"
	"testing"

	"parley"
	"parley/internal/id"
	"parley/internal/testdb"
)

func TestStepsAreDoneTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "first")
		errNone := errors.New("none")
		var title string
		for name, missing := range map[string]step{
			"no row to change": must(errNone, `UPDATE sessions SET title = 'x' WHERE id = $1`, "nobody's"),
			"no row to return": must(errNone, `UPDATE sessions SET title = 'x' WHERE id = $1 RETURNING title`, "nobody's").into(&title),
			"no row to lock":   must(errNone, `SELECT title FROM sessions WHERE id = $1`+w.forUpdate(), "nobody's").into(&title),
			"no row to insert": must(errNone, `
				INSERT INTO sessions (id, user_id, title, active_at, created_at) VALUES ($1, $2, '', 0, 0)
				ON CONFLICT (id) DO NOTHING`, session, user),
		} {
			for place := range 3 {
				steps := slices.Insert([]step{
					do(`UPDATE sessions SET title = 'changed' WHERE id = $1`, session),
					must(errors.New("there is one"), `UPDATE sessions SET last_message_at = 1 WHERE id = $1`, session),
				}, place, missing)
				before := w.dump()
				if err := w.change(t.Context(), steps...); !errors.Is(err, errNone) {
					t.Errorf("%s at place %d: %v", name, place, err)
				}
				if after := w.dump(); after != before {
					t.Errorf("%s at place %d: before\n%s\nafter\n%s", name, place, before, after)
				}
			}
			if err := w.change(t.Context(), missing); !errors.Is(err, errNone) {
				t.Errorf("%s alone: %v", name, err)
			}
		}
	})
}

func TestAStepSeesWhatTheOnesBeforeItDid(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		session := w.session(w.user(), "first")
		var given, found string
		w.must(w.change(t.Context(),
			must(parley.ErrNoSuchSession, `UPDATE sessions SET title = title || '.' WHERE id = $1 RETURNING title`, session).into(&given),
			do(`UPDATE sessions SET title = title || '.' WHERE id = $1`, session),
			do(`SELECT title FROM sessions WHERE id = $1`, session).into(&found)))
		if given != "first." || found != "first.." {
			t.Errorf("returned %q, then found %q", given, found)
		}
	})
}

// TestACommitThatFailsIsAnError has PostgreSQL find the fault only when it commits.
func TestACommitThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testdb.Postgres(t))
	user := w.user()
	w.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
		`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON sessions DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW WHEN (NEW.title = 'refused') EXECUTE FUNCTION refuse()`)
	before := w.dump()
	if err := w.CreateSession(t.Context(), NewSession{ID: id.New(), UserID: user, Title: "refused", Now: w.tick()}); err == nil {
		t.Error("it was acknowledged")
	}
	if after := w.dump(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	w.session(user, "accepted")
}
