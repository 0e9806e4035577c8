package main_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/store"
	"parley/internal/testdb"
)

// schemaQueries list the parts of a schema, one text per row.
var schemaQueries = map[string]string{
	"sqlite": `SELECT type || ' ' || sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite_%'`,
	"pgx": `
		SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity)
		FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace = 'public'::regnamespace`,
}

// schema returns the parts of a database's schema.
func schema(t *testing.T, data, databaseURL string) (parts []string) {
	t.Helper()
	driver, source := "pgx", databaseURL
	if databaseURL == "" {
		driver, source = "sqlite", "file:"+filepath.Join(data, "parley.db")
	}
	db, err := sql.Open(driver, source)
	must(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), schemaQueries[driver])
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var part string
		must(t, rows.Scan(&part))
		parts = append(parts, strings.Join(strings.Fields(part), " "))
	}
	must(t, rows.Err())
	slices.Sort(parts)
	return parts
}

// TestAReleasedSchemaIsNotEdited compares the recorded database of the latest schema with a new one. A released
// migration must not change; a change needs a new migration.
func TestAReleasedSchemaIsNotEdited(t *testing.T) {
	t.Parallel()
	release := releases[len(releases)-1]
	if release != store.Schema() {
		t.Skip("the latest schema is not released")
	}
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		fresh := t.TempDir()
		kept, err := store.Open(t.Context(), fresh, databaseURL)
		must(t, err)
		must(t, kept.Close())
		want := schema(t, fresh, databaseURL)
		if databaseURL != "" {
			databaseURL = testdb.Postgres(t)
		}
		data := recorded(t, release, databaseURL, "before").restore(databaseURL)
		if got := schema(t, data, databaseURL); !slices.Equal(got, want) {
			t.Errorf("recorded is\n%s\nand new is\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
