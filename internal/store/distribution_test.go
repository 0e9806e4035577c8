package store

import (
	"database/sql"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"parley/internal/db"
	"parley/internal/testdb"
)

func TestTheDistributionOfTheTables(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		d, found, err := w.Distribution(t.Context())
		w.must(err)
		if citus := w.db.Shared() && testdb.IsCitus(); found != citus {
			t.Fatalf("found is %v, want %v", found, citus)
		}
		if !found {
			return
		}
		tables := len(distributionKeys(t))
		if d.Workers == 0 || d.Distributed != tables || len(d.Local) != 0 {
			t.Errorf("the distribution is %+v", d)
		}
		w.run(`SELECT undistribute_table('file_intents')`)
		d, _, err = w.Distribution(t.Context())
		w.must(err)
		if d.Distributed != tables-1 || !slices.Equal(d.Local, []string{"file_intents"}) {
			t.Errorf("without one table it is %+v", d)
		}
	})
}

// TestCitusIsCreatedAfterTheFirstMigration upgrades a database that has Citus, but no distributed table yet.
func TestCitusIsCreatedAfterTheFirstMigration(t *testing.T) {
	url := testdb.Postgres(t)
	const first = "postgres/00001_first.sql"
	text, err := fs.ReadFile(migrations(), first)
	if err != nil {
		t.Fatal(err)
	}
	config := Config(t.TempDir(), url)
	config.Migrations = fstest.MapFS{first: {Data: text}}
	citus := func(statement string) {
		if testdb.IsCitus() {
			execute(t, url, statement)
		}
	}

	citus(`DROP EXTENSION citus`)
	config.After = nil // it needs a later migration
	database, err := db.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	citus(`CREATE EXTENSION citus`)
	w := newWorld(t, url)
	w.user()
	d, found, err := w.Distribution(t.Context())
	w.must(err)
	if found != testdb.IsCitus() || d.Distributed != 0 {
		t.Errorf("found is %v, the distribution is %+v", found, d)
	}
}

func execute(t *testing.T, url, statement string) {
	t.Helper()
	pool, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestStatementsAcrossShards(t *testing.T) {
	w := newWorld(t, testdb.Postgres(t))
	w.user()
	now := time.Now()
	w.must(w.SaveShardCounts(t.Context(), now)) // does nothing
	if _, found, err := w.AcrossShards(t.Context(), now); err != nil || found {
		t.Fatalf("without statistics: found is %v, %v", found, err)
	}
	w.run(`CREATE EXTENSION pg_stat_statements`)
	sweep := func() {
		t.Helper()
		_, err := w.OpenReplies(t.Context(), "owner")
		w.must(err)
	}
	sweep()
	count := func(now time.Time) (int64, time.Time) {
		t.Helper()
		across, found, err := w.AcrossShards(t.Context(), now)
		w.must(err)
		if !found {
			t.Skip("Citus does not count statements here: citus.stat_statements_track is not all")
		}
		for _, s := range across.Statements {
			if s.Sweep == "the turns of a process" {
				return s.Calls, across.Since
			}
		}
		return 0, across.Since
	}
	if calls, _ := count(now); calls != 1 {
		t.Errorf("%d calls since Citus began to count", calls)
	}
	w.must(w.SaveShardCounts(t.Context(), now))
	sweep()
	w.must(w.SaveShardCounts(t.Context(), now.Add(time.Minute))) // too early
	sweep()
	w.must(w.SaveShardCounts(t.Context(), now.Add(30*time.Minute)))
	sweep()
	for ago, want := range map[time.Duration]int64{ // three calls since now, one since half an hour later
		20 * time.Minute: 3, 65 * time.Minute: 3, 95 * time.Minute: 1,
	} {
		calls, since := count(now.Add(ago))
		begun := now
		if want == 1 {
			begun = now.Add(30 * time.Minute)
		}
		if calls != want || since.UnixMicro() != begun.UnixMicro() {
			t.Errorf("after %v: %d calls since %v, want %d since %v", ago, calls, since, want, begun)
		}
	}
}

func TestCountsOfStatementsAreSubtracted(t *testing.T) {
	now := shardCounts{"same": 5, "more": 7, "reset": 2, "new": 1}
	got := now.since(shardCounts{"same": 5, "more": 4, "reset": 9})
	if want := (shardCounts{"more": 3, "reset": 2, "new": 1}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
