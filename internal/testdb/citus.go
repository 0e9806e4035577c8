package testdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// citusVariable has the URL of a database on the coordinator of a Citus cluster that knows
// the cluster's workers. If it is set, Postgres creates its databases there.
const citusVariable = "PARLEY_TEST_CITUS_URL"

// IsCitus reports whether Postgres creates databases with Citus.
func IsCitus() bool { return os.Getenv(citusVariable) != "" }

// citus creates an empty database on all nodes of the cluster, each with the extension. The
// coordinator knows the workers.
func citus(t testing.TB, cluster, name string) {
	t.Helper()
	coordinator, workers := citusNodes(t, cluster)
	for _, node := range append([]*url.URL{coordinator}, workers...) {
		run(t, node.String(), "CREATE DATABASE "+name+" TEMPLATE template0")
		t.Cleanup(func() { dropOnNode(t, node.String(), name) })
		run(t, within(node, name), "CREATE EXTENSION citus")
	}
	database := within(coordinator, name)
	run(t, database,
		fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %s)", coordinator.Hostname(), coordinator.Port()))
	defer lockRoles(t, cluster)()
	for _, worker := range workers {
		run(t, database, fmt.Sprintf("SELECT citus_add_node('%s', %s)", worker.Hostname(), worker.Port()))
	}
	note(t, "citus", func(ctx context.Context) (string, error) {
		version, err := query(ctx, "pgx", database, "SELECT citus_version()")
		// It is "Citus 13.2.0 on x86_64-pc-linux-gnu, …".
		number, _, _ := strings.Cut(strings.TrimPrefix(version, "Citus "), " ")
		return number, err
	})
}

// dropOnNode drops a database on a node, although other nodes connect to it again and again. Each try waits for some
// seconds until nobody is connected.
func dropOnNode(t testing.TB, node, name string) {
	t.Helper()
	const tries, objectInUse = 10, "55006"
	for i := 1; ; i++ {
		err := try(t, node, "DROP DATABASE "+name+" WITH (FORCE)")
		if err == nil {
			return
		}
		var failure *pgconn.PgError
		if i == tries || !errors.As(err, &failure) || failure.Code != objectInUse {
			t.Fatal(err)
		}
	}
}

// lockRoles lets one database at a time add nodes, which copies the roles of the cluster to
// them. Two at once would fail.
func lockRoles(t testing.TB, cluster string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("pgx", cluster)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(1)`)
	}
	if err != nil {
		t.Fatalf("lock the roles: %v", err)
	}
	return func() {
		_ = tx.Rollback() // it has changed nothing
		_ = db.Close()
	}
}

// citusNodes returns the addresses of the coordinator and of the workers that it knows.
func citusNodes(t testing.TB, cluster string) (coordinator *url.URL, workers []*url.URL) {
	t.Helper()
	coordinator, err := url.Parse(cluster)
	if err != nil {
		t.Fatalf("%s: %v", citusVariable, err)
	}
	db, err := sql.Open("pgx", cluster)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(),
		`SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid > 0 AND isactive ORDER BY nodeid`)
	if err != nil {
		t.Fatalf("the workers: %v", err)
	}
	defer rows.Close()
	for rows.Next() {
		worker := *coordinator
		if err := rows.Scan(&worker.Host); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, &worker)
	}
	if err := rows.Err(); err != nil || len(workers) == 0 {
		t.Fatalf("the cluster has %d workers, %v", len(workers), err)
	}
	return coordinator, workers
}

// OnWorker returns the URL of a database with Citus on one of the workers.
func OnWorker(t testing.TB, databaseURL string) string {
	t.Helper()
	_, workers := citusNodes(t, databaseURL)
	return workers[0].String()
}

// within returns the URL of a database on a node.
func within(node *url.URL, name string) string {
	address := *node
	address.Path = "/" + name
	return address.String()
}
