package testdb_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testdb"
)

// TestMain keeps these tests out of the report of the run.
func TestMain(m *testing.M) {
	if err := os.Unsetenv("PARLEY_TEST_REPORT"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestEachTestGetsItsOwnEmptyDatabase(t *testing.T) {
	first, second := testdb.Postgres(t), testdb.Postgres(t)
	if first == second {
		t.Fatal("two databases have one URL")
	}
	for _, address := range []string{first, second} {
		db := open(t, address)
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE plain (n BIGINT)"); err != nil {
			t.Errorf("create a table in a fresh database: %v", err)
		}
	}
}

func TestTheDatabaseIsDroppedThoughSomebodyIsConnected(outer *testing.T) {
	t := outer
	var address string
	t.Run("connected", func(t *testing.T) {
		address = testdb.Postgres(t)
		if err := open(outer, address).PingContext(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if address == "" {
		t.Skip("needs PostgreSQL")
	}
	err := open(t, address).PingContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("the database is still there: %v", err)
	}
}

func TestEachNotesWhatItRanOn(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report")
	t.Setenv("PARLEY_TEST_REPORT", report)
	ran := map[string]bool{}
	t.Run("inner", func(t *testing.T) {
		testdb.Each(t, func(t *testing.T, databaseURL string) {
			ran[databaseURL] = true
		})
	})
	if !ran[""] {
		t.Error("SQLite did not run")
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !strings.HasPrefix(lines[0], "sqlite 3.") || !strings.HasSuffix(lines[0], " "+t.Name()+"/inner/sqlite") {
		t.Errorf("first line is %q", lines[0])
	}
	if len(ran) != len(lines) {
		t.Errorf("%d databases ran, %d lines: %q", len(ran), len(lines), lines)
	}
	second := "postgres "
	if testdb.IsCitus() {
		second = "citus "
	}
	if len(lines) > 1 && !strings.HasPrefix(lines[1], second) {
		t.Errorf("second line is %q", lines[1])
	}
}

func TestWithoutAClusterTheTestIsSkipped(t *testing.T) {
	t.Setenv("PARLEY_TEST_DATABASE_URL", "")
	t.Setenv("PARLEY_TEST_CITUS_URL", "")
	skipped := false
	t.Run("inner", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		testdb.Postgres(t)
	})
	if !skipped {
		t.Error("the test ran without a cluster")
	}
}

func TestEachTestGetsItsOwnPlaceInTheS3Store(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report")
	t.Setenv("PARLEY_TEST_REPORT", report)
	t.Setenv("PARLEY_TEST_S3_URL", "s3://key:secret@bucket?endpoint=http://127.0.0.1:1&region=us-east-1")
	t.Setenv("PARLEY_TEST_S3_VERSION", "v1")
	first, second := testdb.S3(t), testdb.S3(t)
	if first == second {
		t.Error("two places have one URL")
	}
	const query = "?endpoint=http://127.0.0.1:1&region=us-east-1"
	if !strings.HasPrefix(first, "s3://key:secret@bucket/") || !strings.HasSuffix(first, query) {
		t.Errorf("the URL is %s", first)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(line, "s3 v1 ") || !strings.HasSuffix(line, " "+t.Name()) {
		t.Errorf("the report says %q", line)
	}
}

func TestWithoutAnS3StoreTheTestIsSkipped(t *testing.T) {
	t.Setenv("PARLEY_TEST_S3_URL", "")
	skipped := false
	t.Run("inner", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		testdb.S3(t)
	})
	if !skipped {
		t.Error("the test ran without a store")
	}
}

func open(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
