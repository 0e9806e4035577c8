package store

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/testdb"
)

func TestAnOverviewCountsWhatThereIs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada, bob := w.user(), w.user()
		w.lease("self", time.Hour)
		w.lease("other", time.Hour)
		w.lease("gone", -time.Second)
		session := w.session(ada, "Ferries")
		w.vectors(ada, w.file(ada, session), 640)
		w.begin(bob, w.session(bob, ""), "question")
		w.must(w.SetAdmin(t.Context(), 0, bob, true))
		used, err := w.StorageUsed(t.Context(), ada)
		w.must(err)
		w.must(w.AddImport(t.Context(), w.upload(ada)))

		o, err := w.Overview(t.Context(), "self")
		w.must(err)
		if o.Users != 2 || o.Administrators != 1 || o.Files.Used != used || used < 640 ||
			o.Queues.Replies != 1 || o.Queues.Imports != 1 || o.Queues.Index == 0 {
			t.Errorf("the overview is %+v", o)
		}
		if len(o.Replicas) != 2 || o.Replicas[0].ID != "other" || o.Replicas[0].Self || !o.Replicas[1].Self ||
			o.Replicas[1].LeaseUntil < time.Now().Unix() {
			t.Errorf("the replicas are %+v", o.Replicas)
		}
		kind := parley.DatabaseSQLite
		switch {
		case w.db.Shared() && testdb.IsCitus():
			kind = parley.DatabaseCitus
		case w.db.Shared():
			kind = parley.DatabasePostgreSQL
		}
		if o.Database.Kind != kind || !strings.Contains(o.Database.Version, "SQL") || o.Database.Size < 50_000 {
			t.Errorf("the database is %+v", o.Database)
		}
	})
}
