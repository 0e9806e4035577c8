package storetest

import (
	"context"
	"testing"

	"parley/internal/store"
	"parley/internal/testdb"
)

// template has the tables of this release. It is made once for all tests of a package.
var template = testdb.NewTemplate(store.Config("", "").Migrations,
	func(ctx context.Context, dir, databaseURL string) error {
		s, err := store.Open(ctx, dir, databaseURL)
		if err != nil {
			return err
		}
		return s.Close()
	})

// Each is testdb.Each with databases that have all tables already.
func Each(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	template.Each(t, test)
}

// EachParallel is testdb.EachParallel with databases that have all tables already.
func EachParallel(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	template.EachParallel(t, test)
}

// Postgres is testdb.Postgres with a database that has all tables already.
func Postgres(t testing.TB) string {
	t.Helper()
	return template.Postgres(t)
}

// Prepare puts a SQLite database with all tables into a folder, if the folder is empty and the database is there: if
// the URL is empty.
func Prepare(t testing.TB, dir, databaseURL string) {
	t.Helper()
	if databaseURL == "" {
		template.CopyTo(t, dir)
	}
}
