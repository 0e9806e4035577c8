package main_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/internal/testdb"
)

// holder returns the address of the worker that holds a user's data.
func holder(t *testing.T, databaseURL string, userID int64) (address string) {
	t.Helper()
	db, err := sql.Open("pgx", databaseURL)
	must(t, err)
	defer db.Close()
	must(t, db.QueryRowContext(t.Context(), `
		SELECT nodename || ':' || nodeport FROM pg_dist_shard_placement
		WHERE shardid = get_shard_id_for_distribution_column('users', $1::bigint)`, userID).Scan(&address))
	return address
}

// TestAWorkerIsKilledUnderLoad kills a worker of a Citus cluster. Requests of its users fail with clear errors and
// the others go on. When the worker is back, everyone is served and nothing that was acknowledged is lost.
func TestAWorkerIsKilledUnderLoad(t *testing.T) {
	worker := testdb.CitusWorker(t)
	databaseURL := testdb.Postgres(t)
	_, settings := model(t)
	settings = append(settings, "PARLEY_DATA="+t.TempDir(), "PARLEY_DATABASE_URL="+databaseURL)
	p := start(t, settings...)

	var theirs, others tally // of users on the killed worker, and of all others
	var tallies sync.Map     // by client
	register := func(name string) *client.Client {
		c := p.user(name)
		user, err := c.User(t.Context())
		must(t, err)
		if holder(t, databaseURL, user.UserID) == worker.Address {
			tallies.Store(c, &theirs)
		} else {
			tallies.Store(c, &others)
		}
		return c
	}
	stop := visitors(t, 8, register, func(ctx context.Context, v *visitor, n int) {
		y, _ := tallies.Load(v.client)
		y.(*tally).count(t, v.visit(ctx, n))
	})
	served := func(y *tally) func() bool {
		before := y.served.Load()
		return func() bool { return y.served.Load() >= before+8 }
	}
	until(t, "the users on the worker are served", served(&theirs))
	until(t, "the others are served", served(&others))

	worker.Stop(t)
	until(t, "requests of the worker's users fail", func() bool { return theirs.failed.Load() >= 8 })
	until(t, "the others go on", served(&others))
	failed := theirs.failed.Load()
	worker.Start(t)
	until(t, "the worker's users are served again", served(&theirs))
	if n := others.failed.Load(); n > 0 {
		t.Errorf("%d requests of users on other workers have failed", n)
	}

	answered := accountForAll(t, stop())
	if out := works(t, settings, "doctor"); strings.Contains(out, "problem") {
		t.Errorf("the doctor says\n%s", out)
	}
	t.Logf("%d questions were answered; %d requests failed while the worker was down", answered, failed)
}
