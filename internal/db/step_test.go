package db

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/internal/testdb"
)

// dump returns all items as text.
func (w *world) dump() string {
	w.t.Helper()
	lines, err := ReadList(w.t.Context(), w.DB, ScanOne[string], `SELECT id || text || number FROM items ORDER BY id`)
	w.must(err)
	return strings.Join(lines, "\n")
}

func TestStepsAreDoneTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		const item = "one"
		w.must(w.Change(t.Context(), Do(`INSERT INTO items (id, text) VALUES ($1, 'first')`, item)))
		errMissing := errors.New("missing")
		var text string
		for name, step := range map[string]Step{
			"no row to change": Require(errMissing, `UPDATE items SET text = 'x' WHERE id = $1`, "none"),
			"no row to return": Require(errMissing, `UPDATE items SET text = 'x' WHERE id = $1 RETURNING text`, "none").
				Into(&text),
			"no row to lock": Require(errMissing, `SELECT text FROM items WHERE id = $1`+w.ForUpdate(), "none").Into(&text),
			"no row to insert": Require(errMissing, `
				INSERT INTO items (id, text) VALUES ($1, '') ON CONFLICT (id) DO NOTHING`, item),
			"a key that is taken": Insert(errMissing, `INSERT INTO items (id, text) VALUES ($1, '')`, item),
			"a key that is taken by what is selected": Insert(errMissing, `
				INSERT INTO items (id, text) SELECT id, '' FROM items WHERE id = $1`, item),
		} {
			for place := range 3 {
				steps := slices.Insert([]Step{
					Do(`UPDATE items SET text = 'changed' WHERE id = $1`, item),
					Require(errors.New("there is one"), `UPDATE items SET number = 1 WHERE id = $1`, item),
				}, place, step)
				before := w.dump()
				if err := w.Change(t.Context(), steps...); !errors.Is(err, errMissing) {
					t.Errorf("%s at place %d: %v", name, place, err)
				}
				if after := w.dump(); after != before {
					t.Errorf("%s at place %d: before\n%s\nafter\n%s", name, place, before, after)
				}
				err := w.Write(t.Context(), func(ctx context.Context, q Querier) error { return w.RunSteps(ctx, q, steps) })
				if after := w.dump(); !errors.Is(err, errMissing) || after != before {
					t.Errorf("%s at place %d of a transaction: %v, before\n%s\nafter\n%s", name, place, err, before, after)
				}
			}
			if err := w.Change(t.Context(), step); !errors.Is(err, errMissing) {
				t.Errorf("%s alone: %v", name, err)
			}
		}
	})
}

// TestAnInsertIsSentAsItIs: Citus would pass the rows of an INSERT through files if a query wrapped it.
func TestAnInsertIsSentAsItIs(t *testing.T) {
	const query = `INSERT INTO items (id) VALUES ('one')`
	if sent := Insert(errors.New("taken"), query).guarded(2); sent != query {
		t.Errorf("sent is %s", sent)
	}
}

func TestAStepSeesWhatTheOnesBeforeItDid(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		var given, found string
		none := "unchanged"
		w.must(w.Change(t.Context(),
			Do(`INSERT INTO items (id, text) VALUES ('one', 'first')`),
			Require(errors.New("missing"), `UPDATE items SET text = text || '.' WHERE id = $1 RETURNING text`, "one").
				Into(&given),
			Do(`UPDATE items SET text = text || '.' WHERE id = $1`, "one"),
			Do(`SELECT text FROM items WHERE id = $1`, "one").Into(&found),
			Do(`SELECT text FROM items WHERE id = $1`, "two").Into(&none)))
		if given != "first." || found != "first.." || none != "unchanged" {
			t.Errorf("returned %q, then found %q and %q", given, found, none)
		}
	})
}

func TestChangeOneReportsWhetherARowWasChanged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.must(w.Change(t.Context(), Do(`INSERT INTO items (id) VALUES ('one')`)))
		for id, want := range map[string]bool{"one": true, "two": false} {
			changed, err := w.ChangeOne(t.Context(), `UPDATE items SET number = 1 WHERE id = $1`, id)
			if err != nil || changed != want {
				t.Errorf("%s: %v, %v", id, changed, err)
			}
		}
	})
}

// TestACommitThatFailsIsAnError has PostgreSQL find the fault only when it commits.
func TestACommitThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	if testdb.IsCitus() {
		t.Skip("Citus has no triggers on distributed tables")
	}
	w := newWorld(t, testdb.Postgres(t))
	w.must(w.Change(t.Context(), Do(`
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)))
	w.must(w.Change(t.Context(), Do(`
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON items DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW WHEN (NEW.id = 'refused') EXECUTE FUNCTION refuse()`)))
	err := w.Change(t.Context(),
		Do(`INSERT INTO items (id) VALUES ('before')`), Do(`INSERT INTO items (id) VALUES ('refused')`))
	if err == nil || w.dump() != "" {
		t.Errorf("error is %v, the items are %s", err, w.dump())
	}
	w.must(w.Change(t.Context(), Do(`INSERT INTO items (id) VALUES ('accepted')`)))
}
