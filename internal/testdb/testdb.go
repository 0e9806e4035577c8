// Package testdb provides tests with empty databases and S3 stores.
package testdb

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// The environment variables that scripts/postgres and scripts/test set.
const (
	clusterVariable = "PARLEY_TEST_DATABASE_URL"
	reportVariable  = "PARLEY_TEST_REPORT"
)

// clusterTimeout is the timeout of a statement on the cluster.
const clusterTimeout = time.Minute

// Each runs a test on both databases, as the subtests "sqlite" and "postgres". The URL is
// empty for SQLite, and the test chooses the folder.
func Each(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	eachAfter(t, func(*testing.T) {}, Postgres, test)
}

// EachParallel is Each with parallel subtests. A subtest gets its database when its turn has come: a cluster with Citus
// can't hold the databases of all tests that wait.
func EachParallel(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	eachAfter(t, (*testing.T).Parallel, Postgres, test)
}

func eachAfter(
	t *testing.T, before func(*testing.T), postgres func(testing.TB) string, test func(t *testing.T, databaseURL string),
) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		before(t)
		note(t, "sqlite", sqliteVersion)
		test(t, "")
	})
	t.Run("postgres", func(t *testing.T) {
		before(t)
		test(t, postgres(t))
	})
}

// Postgres creates an empty database for the test and returns its URL. The database is
// dropped when the test ends, even if there are connections. Without a cluster the test is
// skipped. If there is a cluster with Citus, the database is there.
func Postgres(t testing.TB) string {
	t.Helper()
	cluster, address := findCluster(t)
	// template1 can't be copied while there are connections to it.
	return create(t, cluster, address, "template0")
}

// findCluster returns the URL of the cluster. Without one the test is skipped.
func findCluster(t testing.TB) (cluster string, address *url.URL) {
	t.Helper()
	cluster = cmp.Or(os.Getenv(citusVariable), os.Getenv(clusterVariable))
	if cluster == "" {
		t.Skip("needs PostgreSQL: run `make test`, or `scripts/postgres run go test …` for this package alone")
	}
	address, err := url.Parse(cluster)
	if err != nil || !strings.HasPrefix(address.Scheme, "postgres") {
		t.Fatalf("%s must be a URL, postgres://user:password@host:port/database", clusterVariable)
	}
	return cluster, address
}

// create copies a database and returns the URL of the copy. On a cluster with Citus it is empty.
func create(t testing.TB, cluster string, address *url.URL, template string) string {
	t.Helper()
	name := "parley_test_" + strings.ToLower(rand.Text())
	if IsCitus() {
		citus(t, cluster, name)
		return within(address, name)
	}
	run(t, cluster, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() { run(t, cluster, "DROP DATABASE "+name+" WITH (FORCE)") })
	note(t, "postgres", func(ctx context.Context) (string, error) { return postgresVersion(ctx, cluster) })
	return within(address, name)
}

// run runs one statement on the cluster, also after the test's own context has ended.
func run(t testing.TB, cluster, statement string) {
	t.Helper()
	if err := try(t, cluster, statement); err != nil {
		t.Fatal(err)
	}
}

// try is run that returns an error.
func try(t testing.TB, cluster, statement string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), clusterTimeout)
	defer cancel()
	db, err := sql.Open("pgx", cluster)
	if err != nil {
		return fmt.Errorf("open the cluster: %w", err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// note adds the line "store version package test" to the report of the run, if there is one.
func note(t testing.TB, store string, version func(context.Context) (string, error)) {
	t.Helper()
	report := os.Getenv(reportVariable)
	if report == "" {
		return
	}
	v, err := version(t.Context())
	if err != nil {
		t.Fatalf("version of %s: %v", store, err)
	}
	f, err := os.OpenFile(report, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatalf("open the report: %v", err)
	}
	// One write for each line: packages that are tested at the same time share the file.
	if _, err = fmt.Fprintf(f, "%s %s %s %s\n", store, v, filepath.Base(os.Args[0]), t.Name()); err != nil {
		t.Errorf("write the report: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("close the report: %v", err)
	}
}

func sqliteVersion(ctx context.Context) (string, error) {
	return query(ctx, "sqlite", ":memory:", "SELECT sqlite_version()")
}

func postgresVersion(ctx context.Context, cluster string) (string, error) {
	v, err := query(ctx, "pgx", cluster, "SHOW server_version")
	// Debian adds its own: "15.18 (Debian 15.18-0+deb12u1)".
	number, _, _ := strings.Cut(v, " ")
	return number, err
}

func query(ctx context.Context, driver, source, statement string) (value string, err error) {
	db, err := sql.Open(driver, source)
	if err != nil {
		return "", err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, statement).Scan(&value)
	return value, err
}
