package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"
	sqlitedriver "modernc.org/sqlite"

	"parley/internal/testdb"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	sqlitedriver.MustRegisterScalarFunction("cancel_self", 0, cancelSelf)
	goleak.VerifyTestMain(m)
}

const schema = `-- +goose Up
CREATE TABLE items (id TEXT PRIMARY KEY, text TEXT NOT NULL DEFAULT '', number BIGINT NOT NULL DEFAULT 0);
CREATE TABLE parts (item_id TEXT NOT NULL REFERENCES items (id));`

// testConfig describes a database with the tables items and parts.
func testConfig(dir, url string) Config {
	file := &fstest.MapFile{Data: []byte(schema)}
	migrations := fstest.MapFS{"sqlite/00001_first.sql": file, "postgres/00001_first.sql": file}
	return Config{Dir: dir, URL: url, Migrations: migrations}
}

// world is a database for a test.
type world struct {
	*DB
	t   testing.TB
	dir string
}

func newWorld(t testing.TB, url string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.DB = openDB(t, w.dir, url)
	if url != "" && testdb.IsCitus() {
		w.distribute()
	}
	return w
}

// distribute distributes the tables over the nodes of a cluster with Citus, once.
func (w *world) distribute() {
	w.t.Helper()
	for _, table := range []string{`'items', 'id'`, `'parts', 'item_id', colocate_with => 'items'`} {
		name, _, _ := strings.Cut(table, ",")
		w.must(w.Write(w.t.Context(), func(ctx context.Context, q Querier) error {
			_, err := q.ExecContext(ctx, `SELECT create_distributed_table(`+table+`)
				WHERE NOT EXISTS (SELECT 1 FROM citus_tables WHERE table_name = CAST(`+name+` AS regclass))`)
			return err
		}))
	}
}

func openDB(t testing.TB, dir, url string) *DB {
	t.Helper()
	d, err := Open(t.Context(), testConfig(dir, url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return d
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testdb.Each(t, func(t *testing.T, url string) { test(t, newWorld(t, url)) })
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// number reads one number.
func number(t testing.TB, d *DB, query string, args ...any) int64 {
	t.Helper()
	n, err := ReadOne[int64](t.Context(), d, query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// parallel calls do n times at once and returns the errors.
func parallel(n int, do func(i int) error) []error {
	errs := make([]error, n)
	done := make(chan struct{})
	for i := range n {
		go func() {
			errs[i] = do(i)
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
	return errs
}

// count returns how many errors are nil.
func count(errs []error) (good int) {
	for _, err := range errs {
		if err == nil {
			good++
		}
	}
	return good
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s %d", prefix, i) }

func TestTheDatabaseRespondsAndHasAVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.must(w.Ping(t.Context()))
		version, err := w.Version(t.Context())
		w.must(err)
		if !strings.HasPrefix(version, "SQLite 3.") && !strings.HasPrefix(version, "PostgreSQL ") {
			t.Errorf("version is %q", version)
		}
	})
}

func TestReadersOfSQLiteCannotWrite(t *testing.T) {
	w := newWorld(t, "")
	remove := func(ctx context.Context, q Querier) error {
		_, err := q.ExecContext(ctx, `DELETE FROM items`)
		return err
	}
	if err := w.Read(t.Context(), remove); err == nil {
		t.Error("a reader could write")
	}
	if err := w.Snapshot(t.Context(), remove); err == nil {
		t.Error("a snapshot could write")
	}
}

func TestSQLiteIsDurableAndEnforcesReferences(t *testing.T) {
	w := newWorld(t, "")
	w.must(w.Write(t.Context(), func(ctx context.Context, q Querier) error {
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
			var got string
			if err := q.QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); err != nil {
				return err
			}
			if got != want {
				t.Errorf("%s is %s, want %s", pragma, got, want)
			}
		}
		return nil
	}))
}

func TestADataFolderMayHaveAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b%20?mode=memory#é")
	openDB(t, dir, "")
	if _, err := os.Stat(filepath.Join(dir, "parley.db")); err != nil {
		t.Error(err)
	}
}

func TestAStatementThatIsWrongIsAnErrorNotAPanic(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const wrong = `SELECT nonsense FROM nowhere`
		for name, do := range map[string]Func{
			"a row": func(ctx context.Context, q Querier) error {
				var n int
				return q.QueryRowContext(ctx, wrong).Scan(&n)
			},
			"rows": func(ctx context.Context, q Querier) error {
				_, err := List(ctx, q, ScanOne[int], wrong)
				return err
			},
			"no rows": func(ctx context.Context, q Querier) error {
				_, err := q.ExecContext(ctx, wrong)
				return err
			},
			"a panic": func(context.Context, Querier) error { panic("out of order") },
		} {
			if w.Shared() && name == "a panic" {
				continue // with PostgreSQL it is in the caller's own goroutine
			}
			if err := w.Read(t.Context(), do); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		w.must(w.Ping(t.Context()))
	})
}

func TestACancelledReadFailsAlone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.Ping(ctx); err == nil {
			t.Error("a cancelled ping succeeded")
		}
		w.must(w.Ping(t.Context()))
	})
}

func TestADatabaseOfAnotherKindIsRefused(t *testing.T) {
	_, err := Open(t.Context(), testConfig(t.TempDir(), "mysql://localhost/parley"))
	if err == nil || !strings.Contains(err.Error(), "postgres://") {
		t.Errorf("error is %v", err)
	}
}

func TestAListOfStringsIsOneArgument(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		values := []string{"one", `t"wo`, "渡船", ""}
		got, err := ReadList(t.Context(), w.DB, ScanOne[string], w.SelectStrings(`$1`), w.StringsArg(values))
		w.must(err)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", values) {
			t.Errorf("got %q", got)
		}
	})
}

func TestEachRowIsWrittenInATransactionOfItsOwn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const rows = 1_100 // more than two batches
		var steps []Step
		for i := range rows {
			steps = append(steps, Do(`INSERT INTO items (id) VALUES ($1)`, fmt.Sprintf("%04d", i)))
		}
		w.must(w.Change(t.Context(), steps...))
		var last int64
		done, err := WriteEach(t.Context(), w.DB, `SELECT id FROM items WHERE id > $1 ORDER BY id`, "",
			func(ctx context.Context, q Querier, id string) error {
				if id == "1050" {
					return os.ErrInvalid
				}
				_, err := q.ExecContext(ctx, `UPDATE items SET number = 1 WHERE id = $1`, id)
				return err
			}, func(done int64) { last = done })
		if done != 1_050 || last != done || err == nil {
			t.Errorf("%d rows were written, progress was %d, error is %v", done, last, err)
		}
		if n := number(t, w.DB, `SELECT count(*) FROM items WHERE number = 1`); n != done {
			t.Errorf("%d rows are written", n)
		}
	})
}
