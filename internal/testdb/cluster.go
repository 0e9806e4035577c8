package testdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

const (
	// clusterVariable has the URL of a database on a plain PostgreSQL.
	clusterVariable = "PARLEY_TEST_DATABASE_URL"
	// citusVariable has the URL of a database on the coordinator of a Citus cluster that knows the cluster's workers.
	// If it is set, tests get their databases there.
	citusVariable = "PARLEY_TEST_CITUS_URL"
)

// clusterTimeout is the timeout of a statement on the cluster.
const clusterTimeout = time.Minute

// Advisory locks of the cluster.
const (
	rolesLock = iota + 1
	templateLock
)

// IsCitus reports whether Postgres creates databases with Citus.
func IsCitus() bool { return os.Getenv(citusVariable) != "" }

// cluster is a PostgreSQL server, or the coordinator of a Citus cluster and its workers. Each is the URL of a database
// that always exists.
type cluster []*url.URL

// findCluster returns the cluster that the environment names. Without one the test is skipped.
func findCluster(t testing.TB) cluster {
	t.Helper()
	address := cmp.Or(os.Getenv(citusVariable), os.Getenv(clusterVariable))
	if address == "" {
		t.Skip("needs PostgreSQL: run `make test`, or `scripts/postgres run go test …` for this package alone")
	}
	server, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(server.Scheme, "postgres") {
		t.Fatalf("%s must be a URL, postgres://user:password@host:port/database", clusterVariable)
	}
	nodes := cluster{server}
	if IsCitus() {
		nodes = append(nodes, citusWorkers(t, server)...)
	}
	return nodes
}

// citusWorkers returns the addresses of the workers that a coordinator knows.
func citusWorkers(t testing.TB, coordinator *url.URL) (workers []*url.URL) {
	t.Helper()
	db, err := sql.Open("pgx", coordinator.String())
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
	return workers
}

// OnWorker returns the URL of a database with Citus on one of the workers.
func OnWorker(t testing.TB, databaseURL string) string {
	t.Helper()
	coordinator, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return citusWorkers(t, coordinator)[0].String()
}

// database returns the URL of a database of the cluster.
func (c cluster) database(name string) string { return within(c[0], name) }

// copy creates a database on each node as a copy of a template there.
func (c cluster) copy(ctx context.Context, template, name string) error {
	return c.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// create creates an empty database on each node. With Citus, each has the extension, and the coordinator knows the
// workers.
func (c cluster) create(ctx context.Context, name string) error {
	// template1 can't be copied while there are connections to it.
	if err := c.copy(ctx, "template0", name); err != nil || !IsCitus() {
		return err
	}
	for _, node := range c {
		if err := run(ctx, within(node, name), "CREATE EXTENSION citus"); err != nil {
			return err
		}
	}
	database, coordinator := c.database(name), c[0]
	set := fmt.Sprintf("SELECT citus_set_coordinator_host('%s', %s)", coordinator.Hostname(), coordinator.Port())
	if err := run(ctx, database, set); err != nil {
		return err
	}
	// To add a node copies the roles of the cluster to it, which fails if two databases do so at once.
	unlock, err := c.lock(ctx, rolesLock)
	if err != nil {
		return err
	}
	defer unlock()
	for _, worker := range c[1:] {
		add := fmt.Sprintf("SELECT citus_add_node('%s', %s)", worker.Hostname(), worker.Port())
		if err := run(ctx, database, add); err != nil {
			return err
		}
	}
	return nil
}

// finish makes a database a template, which must have no connections. The coordinator's is marked last: one with the
// mark is whole.
func (c cluster) finish(ctx context.Context, name string) error {
	if err := c.disconnect(ctx, name); err != nil {
		return err
	}
	return run(ctx, c[0].String(), "ALTER DATABASE "+name+" WITH IS_TEMPLATE true")
}

// disconnect refuses connections to a database from now on and ends those that there are. Citus itself holds some, from
// each node to each.
func (c cluster) disconnect(ctx context.Context, name string) error {
	refuse := "UPDATE pg_database SET datallowconn = false WHERE datname = '" + name + "'"
	end := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'"
	if err := c.exec(ctx, refuse); err != nil {
		return err
	}
	return c.exec(ctx, end)
}

// drop drops a database on each node, if it is there.
func (c cluster) drop(ctx context.Context, name string) error {
	if IsCitus() {
		if err := c.disconnect(ctx, name); err != nil {
			return err
		}
	}
	return c.exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

// lock waits for an advisory lock of the cluster. It ends with its connection.
func (c cluster) lock(ctx context.Context, number int) (unlock func(), err error) {
	db, err := sql.Open("pgx", c[0].String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, number); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %d: %w", number, err), db.Close())
	}
	return func() { _ = db.Close() }, nil // it has changed nothing
}

// exec runs one statement on each node.
func (c cluster) exec(ctx context.Context, statement string) error {
	for _, node := range c {
		if err := run(ctx, node.String(), statement); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, databaseURL, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	db, err := sql.Open("pgx", databaseURL)
	if err != nil {
		return fmt.Errorf("open the cluster: %w", err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// within returns the URL of a database on a node.
func within(node *url.URL, name string) string {
	address := *node
	address.Path = "/" + name
	return address.String()
}
