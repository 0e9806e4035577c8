// Package testdb provides tests with empty databases and S3 stores.
package testdb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// reportVariable has the path of the report of the run.
const reportVariable = "PARLEY_TEST_REPORT"

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
	c := findCluster(t)
	return provide(t, c, c.create)
}

// provide makes a database with a name of its own and drops it when the test ends.
func provide(t testing.TB, c cluster, create func(ctx context.Context, name string) error) string {
	t.Helper()
	name := "parley_test_" + strings.ToLower(rand.Text())
	t.Cleanup(func() {
		if err := c.drop(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
	if err := create(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if IsCitus() {
		note(t, "citus", func(ctx context.Context) (string, error) { return citusVersion(ctx, c.database(name)) })
	} else {
		note(t, "postgres", func(ctx context.Context) (string, error) { return postgresVersion(ctx, c.database(name)) })
	}
	return c.database(name)
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

func postgresVersion(ctx context.Context, databaseURL string) (string, error) {
	v, err := query(ctx, "pgx", databaseURL, "SHOW server_version")
	// Debian adds its own: "15.18 (Debian 15.18-0+deb12u1)".
	number, _, _ := strings.Cut(v, " ")
	return number, err
}

func citusVersion(ctx context.Context, databaseURL string) (string, error) {
	v, err := query(ctx, "pgx", databaseURL, "SELECT citus_version()")
	// It is "Citus 13.2.0 on x86_64-pc-linux-gnu, …".
	number, _, _ := strings.Cut(strings.TrimPrefix(v, "Citus "), " ")
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
