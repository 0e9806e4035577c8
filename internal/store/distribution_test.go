package store

import (
	"slices"
	"testing"

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
		if d.Workers == 0 || d.Distributed != 16 || len(d.Local) != 0 {
			t.Errorf("the distribution is %+v", d)
		}
		w.run(`SELECT undistribute_table('file_intents')`)
		d, _, err = w.Distribution(t.Context())
		w.must(err)
		if d.Distributed != 15 || !slices.Equal(d.Local, []string{"file_intents"}) {
			t.Errorf("without one table it is %+v", d)
		}
	})
}

func TestStatementsAcrossShards(t *testing.T) {
	w := newWorld(t, testdb.Postgres(t))
	w.user()
	if _, found, err := w.AcrossShards(t.Context()); err != nil || found {
		t.Fatalf("without statistics: found is %v, %v", found, err)
	}
	w.run(`CREATE EXTENSION pg_stat_statements`)
	if _, err := w.OpenReplies(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	across, found, err := w.AcrossShards(t.Context())
	w.must(err)
	if !found {
		t.Skip("Citus does not count statements here: citus.stat_statements_track is not all")
	}
	for _, s := range across.Statements {
		if s.Sweep == "the turns of a process" {
			return
		}
	}
	t.Errorf("the sweep is not among %+v", across)
}
