package testdb_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"parley/internal/testdb"
)

func TestCopiesOfATemplateAreMadeOnceAndShareNothing(t *testing.T) {
	made := map[string]int{}
	template := testdb.NewTemplate(
		fstest.MapFS{"first.sql": {Data: []byte("items")}},
		func(ctx context.Context, dir, databaseURL string) error {
			driver, source := "sqlite", filepath.Join(dir, "items.db")
			if databaseURL != "" {
				driver, source = "pgx", databaseURL
			}
			made[driver]++
			db, err := sql.Open(driver, source)
			if err != nil {
				return err
			}
			_, err = db.ExecContext(ctx, "CREATE TABLE items (n BIGINT)")
			return errors.Join(err, db.Close())
		})
	for range 3 {
		template.Each(t, func(t *testing.T, databaseURL string) {
			driver, source := "pgx", databaseURL
			if databaseURL == "" {
				dir := t.TempDir()
				template.CopyTo(t, dir)
				driver, source = "sqlite", filepath.Join(dir, "items.db")
			}
			db, err := sql.Open(driver, source)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var rows int
			if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM items").Scan(&rows); err != nil || rows != 0 {
				t.Errorf("the copy has %d rows, %v", rows, err)
			}
			if _, err := db.ExecContext(t.Context(), "INSERT INTO items VALUES (1)"); err != nil {
				t.Error(err)
			}
		})
	}
	// In the cluster it may be there from an earlier run.
	if made["sqlite"] != 1 || made["pgx"] > 1 {
		t.Errorf("templates were made %v times", made)
	}
}

func TestAFolderWithFilesIsLeftAlone(t *testing.T) {
	template := testdb.NewTemplate(fstest.MapFS{}, func(_ context.Context, dir, _ string) error {
		return writeFile(dir, "template")
	})
	dir := t.TempDir()
	if err := writeFile(dir, "own"); err != nil {
		t.Fatal(err)
	}
	template.CopyTo(t, dir)
	if got := readFile(t, dir); got != "own" {
		t.Errorf("the file is now the %s's", got)
	}
}

func writeFile(dir, content string) error {
	return os.WriteFile(filepath.Join(dir, "items.db"), []byte(content), 0o600)
}

func readFile(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "items.db"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
