package move

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/db"
	"parley/internal/store"
	"parley/internal/testtier"
)

// TestAMoveGoesOnAfterEveryStatementOfTheSchema lets the making of a target's schema fail at each of its statements in
// turn. Each attempt finds what the one before has left, and so does the move in the end. PostgreSQL is slower: unless
// TORTURE_KILLS is set, it fails only before and after each migration.
func TestAMoveGoesOnAfterEveryStatementOfTheSchema(t *testing.T) {
	testtier.Slow(t)
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			from, to := newPlace(t, "sqlite"), newPlace(t, kind)
			fill(t, from, 3)
			m := &mover{Config: config(from, to)}
			target := store.OpenConfig{Dir: to.Data, URL: to.DatabaseURL, Release: "test"}.Target(m.checkEmpty)
			ends := kind == "postgres" && setting(t, "TORTURE_KILLS", 0) == 0
			broken := brokenSchemas(t, target.Migrations, kind, ends)
			for i, migrations := range broken {
				target.Migrations = migrations
				opened, err := db.Open(t.Context(), target)
				if err == nil {
					must(t, opened.Close())
				}
				if err == nil || !strings.Contains(err.Error(), "fails_here") {
					t.Fatalf("attempt %d of %d: %v", i+1, len(broken), err)
				}
			}
			if len(broken) < 30 || len(broken) < 100 && !ends {
				t.Errorf("the schema failed only at %d places", len(broken))
			}
			moves(t, from, to)
			if dump(t, to) != dump(t, from) {
				t.Error("the rows are not the same")
			}
		})
	}
}

// brokenSchemas returns copies of the migrations. Each fails at another statement, in the order of the statements: at
// all of them, or only at the ends of each migration.
func brokenSchemas(t *testing.T, migrations fs.FS, kind string, ends bool) (all []fs.FS) {
	t.Helper()
	names, err := fs.Glob(migrations, kind+"/*.sql")
	must(t, err)
	whole := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		must(t, err)
		lines := strings.Split(string(text), "\n")
		starts := statementStarts(lines)
		if ends {
			starts = []int{starts[0], starts[len(starts)-1]}
		}
		for _, at := range starts {
			broken := maps.Clone(whole)
			broken[name] = &fstest.MapFile{
				Data: []byte(strings.Join(slices.Insert(slices.Clone(lines), at, "SELECT fails_here();"), "\n")),
			}
			all = append(all, broken)
		}
		whole[name] = &fstest.MapFile{Data: text}
	}
	return all
}

// statementStarts returns the numbers of the lines before which a statement begins, and the end of the last one.
func statementStarts(lines []string) (starts []int) {
	block := false
	for i, line := range lines {
		code, _, _ := strings.Cut(line, "--")
		switch {
		case strings.HasPrefix(line, "-- +goose StatementBegin"):
			block = true
		case strings.HasPrefix(line, "-- +goose StatementEnd"):
			block = false
			starts = append(starts, i+1)
		case strings.HasPrefix(line, "-- +goose Up"),
			!block && strings.HasSuffix(strings.TrimSpace(code), ";"):
			starts = append(starts, i+1)
		}
	}
	return starts
}
