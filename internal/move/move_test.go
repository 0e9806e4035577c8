package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/store"
	"parley/internal/testdb"
	"parley/internal/testtier"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

func silent(string) {}

// directions are the pairs of databases that data is moved between.
var directions = []struct{ from, to string }{
	{"sqlite", "postgres"}, {"postgres", "sqlite"}, {"sqlite", "sqlite"}, {"postgres", "postgres"},
}

// each runs a test in all directions.
func each(t *testing.T, test func(t *testing.T, from, to Place)) {
	t.Helper()
	for _, direction := range directions {
		t.Run(direction.from+" to "+direction.to, func(t *testing.T) {
			test(t, newPlace(t, direction.from), newPlace(t, direction.to))
		})
	}
}

// newPlace returns an empty place with a database of a kind.
func newPlace(t testing.TB, kind string) Place {
	t.Helper()
	p := Place{Data: filepath.Join(t.TempDir(), "data")}
	if kind == "postgres" {
		p.DatabaseURL = testdb.Postgres(t)
	}
	return p
}

// open opens the database of a place, as a server does.
func open(t testing.TB, p Place) *db.DB {
	t.Helper()
	database, err := db.Open(t.Context(), store.Config(p.Data, p.DatabaseURL))
	must(t, err)
	return database
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill adds rows to every table of the schema. All numbers of a row are the same, and all texts of one kind: so rows
// refer to rows that exist, in tables of later migrations too.
func fill(t testing.TB, p Place, count int) {
	t.Helper()
	database := open(t, p)
	defer database.Close()
	tables, err := database.Tables(t.Context())
	must(t, err)
	tables, err = order(moved(tables))
	must(t, err)
	for _, table := range tables {
		steps := make([]db.Step, 0, count)
		for n := 1; n <= count; n++ {
			values := make(row, len(table.Columns))
			for i, column := range table.Columns {
				values[i] = sample(column, n)
			}
			steps = append(steps, db.Do(newRows(table).insert, values...))
		}
		must(t, database.Change(t.Context(), steps...))
	}
	must(t, database.SetSequence(t.Context(), "emails", int64(count)))
}

// sample returns a value of row n.
func sample(column db.Column, n int) any {
	switch {
	case strings.HasPrefix(column.Name, "favorite") && n%2 == 0 && column.Name != "favorite_count":
		return nil
	case column.Kind == db.Integer:
		return int64(n)
	case column.Kind == db.Bytes && n == 1:
		return []byte{}
	case column.Kind == db.Bytes:
		return fmt.Appendf(nil, "\x00\xff%d", n)
	case column.Name == "id" || strings.HasSuffix(column.Name, "_id"):
		return fmt.Sprintf("019a5e0e-7a30-7c4e-9d55-%012x", n)
	}
	texts := []string{"Zebra", "ant", "é", "渡", "_", `it's "quoted"`, ""} // their order depends on the collation
	return texts[n%len(texts)] + strings.Repeat("x", n/len(texts))
}

// dump returns all data of a database as text.
func dump(t testing.TB, p Place) string {
	t.Helper()
	database, err := p.attach(t.Context())
	must(t, err)
	defer database.Close()
	tables, err := database.Tables(t.Context())
	must(t, err)
	var all strings.Builder
	for _, table := range moved(tables) {
		slices.SortFunc(table.Columns, func(a, b db.Column) int { return strings.Compare(a.Name, b.Name) })
		if table.Name == "emails" {
			table.Key = []string{"email_key"}
		}
		fmt.Fprintln(&all, "#", table.Name)
		err := newRows(table).each(t.Context(), database, nil, func(page []row) error {
			for _, one := range page {
				fmt.Fprintf(&all, "%q\n", one)
			}
			return nil
		})
		must(t, err)
	}
	last, err := database.Sequences(t.Context())
	must(t, err)
	fmt.Fprintln(&all, "emails end at", last["emails"])
	return all.String()
}

func config(from, to Place) Config {
	return Config{From: from, To: to, Version: "test", Progress: silent}
}

// moves runs a move that must succeed.
func moves(t testing.TB, from, to Place) Report {
	t.Helper()
	report, err := Run(t.Context(), config(from, to))
	must(t, err)
	return report
}

// refuses runs a move that must fail and say something.
func refuses(t testing.TB, from, to Place, says string) {
	t.Helper()
	_, err := Run(t.Context(), config(from, to))
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the move says %v, want %q", err, says)
	}
}

// TestEveryTableArrivesAndComesBack has rows in every table of the schema, also in those of later migrations.
func TestEveryTableArrivesAndComesBack(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 40)
		want := dump(t, from)
		report := moves(t, from, to)
		if got := dump(t, to); got != want {
			t.Errorf("there is\n%s\nwant\n%s", got, want)
		}
		if strings.Count(want, "# ") != report.Tables || report.Rows != 40*int64(report.Tables) {
			t.Errorf("the report is %+v", report)
		}
		kind := "sqlite"
		if from.DatabaseURL != "" {
			kind = "postgres"
		}
		back := newPlace(t, kind)
		moves(t, to, back)
		if got := dump(t, back); got != want {
			t.Errorf("back again there is\n%s\nwant\n%s", got, want)
		}
	})
}

// TestEveryTableIsMovedOrLeftOut fails if a table has a type that can't be moved, or a name is left out in vain.
func TestEveryTableIsMovedOrLeftOut(t *testing.T) {
	there := newPlace(t, "postgres") // skips the test if there is no PostgreSQL
	from, to := open(t, newPlace(t, "sqlite")), open(t, there)
	defer from.Close()
	defer to.Close()
	ours, err := from.Tables(t.Context())
	must(t, err)
	theirs, err := to.Tables(t.Context())
	must(t, err)
	for _, keysOf := range []string{source, target} {
		tables, err := plan(ours, theirs, keysOf)
		must(t, err)
		planned := names(tables)
		for _, table := range slices.Concat(ours, theirs) {
			if slices.Contains(planned, table.Name) == (leftOut[table.Name] != "") {
				t.Errorf("%s is moved and left out, or neither", table.Name)
			}
		}
	}
	for name := range leftOut {
		if !slices.Contains(names(ours), name) && name != "shard_counts" { // which only Citus has
			t.Errorf("there is no table %s", name)
		}
	}
}

// TestTheIDsOfAccountsGoOn deletes the last account before the move.
func TestTheIDsOfAccountsGoOn(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 1)
		database := open(t, from)
		must(t, database.SetSequence(t.Context(), "emails", 7)) // accounts 2 to 7 were deleted
		must(t, database.Close())
		moves(t, from, to)
		database = open(t, to)
		defer database.Close()
		var next int64
		must(t, database.Change(t.Context(),
			db.Do(`INSERT INTO emails (email_key) VALUES ('new') RETURNING user_id`).Into(&next)))
		if next != 8 {
			t.Errorf("the next account has the id %d, want 8", next)
		}
	})
}

// TestAnInterruptedMoveGoesOn ends each run of a move a step later than the one before.
func TestAnInterruptedMoveGoesOn(t *testing.T) {
	testtier.Slow(t)
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 30)
		want := dump(t, from)
		runs := 0
		for err := context.Canceled; err != nil; runs++ {
			ctx, cancel := context.WithCancel(t.Context())
			left := 5 * runs
			c := config(from, to)
			c.Progress = func(string) {
				if left--; left < 0 {
					cancel()
				}
			}
			_, err = Run(ctx, c)
			cancel()
			if runs > 300 {
				t.Fatal(err)
			}
			if err != nil {
				refused(t, from, "is being moved to")
				refused(t, to, "is being moved here")
			}
		}
		if got := dump(t, to); got != want || runs < 10 {
			t.Errorf("after %d runs there is\n%s\nwant\n%s", runs, got, want)
		}
	})
}

// refused checks that a server does not start at a place, and why.
func refused(t testing.TB, p Place, says string) {
	t.Helper()
	for name, openPlace := range map[string]func(context.Context, string, string) (*store.Store, error){
		"a server": store.Open, "a command": store.Attach,
	} {
		opened, err := openPlace(t.Context(), p.Data, p.DatabaseURL)
		if err == nil {
			must(t, opened.Close())
		}
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s at %s says %v, want %q", name, p, err, says)
		}
	}
}

func TestTheOldPlaceIsMarkedUntilThatIsUndone(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 3)
		if _, err := Undo(t.Context(), from); err == nil || !strings.Contains(err.Error(), "no move from here") {
			t.Errorf("before the move: %v", err)
		}
		moves(t, from, to)
		refused(t, from, "was moved to "+to.Database())
		must(t, open(t, to).Close())
		refuses(t, from, to, "was moved to")
		other, err := Undo(t.Context(), from)
		if err != nil || other != to.String() {
			t.Errorf("undone: %q, %v", other, err)
		}
		must(t, open(t, from).Close())
		refuses(t, from, to, "is not empty")
	})
}

func TestADifferenceIsFound(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 30)
		stop := fmt.Errorf("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		c := config(from, to)
		c.Progress = func(text string) {
			if strings.Contains(text, "read again") {
				cancel(stop)
			}
		}
		if _, err := Run(ctx, c); err == nil {
			t.Fatal("it was not interrupted")
		}
		database, err := to.attach(t.Context())
		must(t, err)
		must(t, database.Change(t.Context(), db.Do(`UPDATE sessions SET title = 'another' WHERE user_id = 7`)))
		must(t, database.Close())
		refuses(t, from, to, "the table sessions is not the same at both ends (30 rows and 30)")
		refused(t, to, "is being moved here")
	})
}

func TestATargetThatHasSomethingIsRefused(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 3)
		fill(t, to, 1)
		before := dump(t, to)
		refuses(t, from, to, "is not empty")
		if got := dump(t, to); got != before {
			t.Errorf("the target was changed")
		}
		refuses(t, from, from, "that is where the data is")
		must(t, open(t, from).Close()) // nothing was marked
	})
}

func TestATargetOfAnotherMoveIsRefused(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		fill(t, from, 3)
		ctx, cancel := context.WithCancel(t.Context())
		c := config(from, to)
		c.Progress = func(string) { cancel() }
		if _, err := Run(ctx, c); err == nil {
			t.Fatal("it was not interrupted")
		}
		other := newPlace(t, "sqlite")
		fill(t, other, 3)
		refuses(t, other, to, "another move left unfinished")
		refuses(t, from, newPlace(t, "sqlite"), "was begun: finish that one")
		if _, err := Undo(t.Context(), to); err == nil || !strings.Contains(err.Error(), "is being moved here") {
			t.Errorf("undone at the target: %v", err)
		}
		_, err := Undo(t.Context(), from)
		must(t, err)
		refuses(t, from, to, "another move left unfinished")
	})
}

func TestADatabaseOfOthersIsNotTouched(t *testing.T) {
	from, to := newPlace(t, "sqlite"), newPlace(t, "postgres")
	fill(t, from, 1)
	others, err := sql.Open("pgx", to.DatabaseURL)
	must(t, err)
	defer others.Close()
	_, err = others.ExecContext(t.Context(), `CREATE TABLE invoices (n BIGINT)`)
	must(t, err)
	refuses(t, from, to, "is not empty (invoices)")
	_, err = others.ExecContext(t.Context(), `CREATE TABLE goose_db_version (version_id BIGINT)`)
	must(t, err)
	refuses(t, from, to, "is not empty (invoices)")
	var tables int
	err = others.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables)
	if err != nil || tables != 2 {
		t.Errorf("there are %d tables, %v", tables, err)
	}
}

func TestARunningServerIsFound(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		from := Place{Data: filepath.Join(t.TempDir(), "data"), DatabaseURL: url}
		fill(t, from, 1)
		server, err := store.Open(t.Context(), from.Data, from.DatabaseURL)
		must(t, err)
		_, err = server.RenewLease(t.Context(), id.New(), 1e12)
		must(t, err)
		says := "in use by another process: stop the server first"
		if url != "" {
			says = "1 servers are using PostgreSQL at"
		}
		refuses(t, from, newPlace(t, "sqlite"), says)
		must(t, server.Close())
	})
}

func TestThePlaceOfAFolderIsTheSameOnceItExists(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(t, os.Symlink("real", filepath.Join(dir, "link")))
	p := Place{Data: filepath.Join(dir, "link", "new", "data")}
	before := p.String()
	must(t, os.MkdirAll(p.Data, 0o700))
	if p.String() != before || !strings.Contains(before, filepath.Join("real", "new", "data")) {
		t.Errorf("it was %s and is %s", before, p)
	}
	for url, want := range map[string]string{
		"postgres://parley:hunter2@db:5432/p?sslmode=require": "PostgreSQL at db:5432/p with files in bucket b/docs",
		"postgres://parley:hunter2@db":                        "PostgreSQL at db with files in bucket b/docs",
	} {
		p := Place{DatabaseURL: url, FilesURL: "s3://key:hunter2@b/docs/?endpoint=https://host"}
		if p.String() != want {
			t.Errorf("%s is described as %s", url, p)
		}
	}
}

// TestEveryStepOfTheEndCanBeRepeated kills a move after each of its last steps, by setting the marks as they are then.
func TestEveryStepOfTheEndCanBeRepeated(t *testing.T) {
	each(t, func(t *testing.T, from, to Place) {
		addFiles(t, from, 2)
		want := dump(t, from)
		moves(t, from, to)
		for _, killed := range []struct {
			name     string
			database bool // the target's database is still marked
			files    bool // the target's files are still marked
		}{
			{"after the source was marked", true, true}, {"after the files were released", true, false},
		} {
			database, err := from.attach(t.Context())
			must(t, err)
			left, _, err := store.New(database).Mark(t.Context())
			must(t, errors.Join(err, database.Close()))
			arriving := blob.Mark{ID: left.ID, State: blob.Arriving, Other: from.String()}
			if database, err = to.attach(t.Context()); err == nil && killed.database {
				err = store.New(database).SetMark(t.Context(), arriving)
			}
			must(t, errors.Join(err, database.Close()))
			files, err := to.openFiles(t.Context())
			if err == nil && killed.files {
				err = files.SetMark(t.Context(), arriving)
			}
			must(t, errors.Join(err, files.Close()))
			refused(t, to, "is being moved here")
			moves(t, from, to)
			must(t, open(t, to).Close())
			refused(t, from, "was moved to")
			if got := dump(t, to); got != want {
				t.Errorf("%s: there is\n%s\nwant\n%s", killed.name, got, want)
			}
		}
	})
}
