package store

import (
	"cmp"
	"database/sql"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"parley/internal/db"
)

// TestEveryTableOfUsersIsDistributed checks, without Citus, that a table with a user_id can be distributed, and that
// the migration which creates it does so.
func TestEveryTableOfUsersIsDistributed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		keys := distributionKeys(t)
		for _, table := range w.tablesOfUsers() {
			want := cmp.Or(otherKeys[table], "user_id")
			if keys[table] != want {
				t.Errorf("the migrations for PostgreSQL distribute %s by %q, want %q", table, keys[table], want)
			}
			if want == "user_id" && !reference.MatchString("FROM "+table+" ") {
				t.Errorf("statements on %s are not checked: add it to reference", table)
			}
		}
		for _, key := range w.uniqueKeys() {
			if want := keys[key.table]; want != "" && key.columns[0] != want {
				t.Errorf("a unique key of %s is %v, want %s first", key.table, key.columns, want)
			}
		}
		for _, key := range w.foreignKeys() {
			table, other := keys[key.table], keys[key.other]
			if table != "" && (key.columns[0] != table || key.otherColumns[0] != other) {
				t.Errorf("a foreign key of %s is %v to %v of %s, want %s to %s first",
					key.table, key.columns, key.otherColumns, key.other, table, other)
			}
		}
	})
}

// otherKeys are the columns of tables that are not distributed by user_id.
var otherKeys = map[string]string{"users": "id", "emails": "email_key", "share_links": "id", "identities": "hash"}

// Calls in migrations that distribute one table, or each of a list.
var (
	distributesOne  = regexp.MustCompile(`create_distributed_table\('(\w+)', '(\w+)'`)
	distributesEach = regexp.MustCompile(`FOREACH name IN ARRAY ARRAY\[([^]]+)\] LOOP\s+` +
		`PERFORM create_distributed_table\(name, '(\w+)', colocate_with => 'users'\)`)
	quoted = regexp.MustCompile(`'(\w+)'`)
)

// distributionKeys returns the columns by which the migrations for PostgreSQL distribute tables, if there is Citus.
func distributionKeys(t testing.TB) map[string]string {
	t.Helper()
	keys := map[string]string{}
	names, err := fs.Glob(migrations(), "postgres/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d migrations: %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range distributesOne.FindAllStringSubmatch(string(text), -1) {
			keys[found[1]] = found[2]
		}
		for _, found := range distributesEach.FindAllStringSubmatch(string(text), -1) {
			for _, table := range quoted.FindAllStringSubmatch(found[1], -1) {
				keys[table[1]] = found[2]
			}
		}
	}
	return keys
}

// tablesOfUsers returns the tables of the database that have a user_id.
func (w *world) tablesOfUsers() []string {
	w.t.Helper()
	query := `SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.name = 'user_id'`
	if w.db.Shared() {
		query = `SELECT table_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND column_name = 'user_id'`
	}
	tables, err := db.ReadList(w.t.Context(), w.db, db.ScanOne[string], query)
	w.must(err)
	if len(tables) == 0 {
		w.t.Error("no table has a user_id")
	}
	return tables
}

// tableKey is a unique or foreign key of a table.
type tableKey struct {
	table   string
	columns []string
	// Of a foreign key:
	other        string
	otherColumns []string
}

// uniqueKeys returns the primary and unique keys of all tables of PostgreSQL. Those of SQLite have the same columns.
func (w *world) uniqueKeys() []tableKey {
	w.t.Helper()
	return w.keys(`
		SELECT i.indrelid::regclass::text, (SELECT string_agg(a.attname, ',' ORDER BY k.place)
		    FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
		    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number), '', ''
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
		WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace`)
}

// foreignKeys returns the foreign keys of all tables of PostgreSQL.
func (w *world) foreignKeys() []tableKey {
	w.t.Helper()
	return w.keys(`
		SELECT f.conrelid::regclass::text, (SELECT string_agg(a.attname, ',' ORDER BY k.place)
		    FROM unnest(f.conkey) WITH ORDINALITY AS k (number, place)
		    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.number),
		  f.confrelid::regclass::text, (SELECT string_agg(a.attname, ',' ORDER BY k.place)
		    FROM unnest(f.confkey) WITH ORDINALITY AS k (number, place)
		    JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.number)
		FROM pg_constraint f WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace`)
}

// keys reads keys of tables of PostgreSQL, as table, columns, other table and its columns.
func (w *world) keys(query string) []tableKey {
	w.t.Helper()
	if !w.db.Shared() {
		return nil
	}
	keys, err := db.ReadList(w.t.Context(), w.db, func(rows *sql.Rows) (k tableKey, err error) {
		var columns, otherColumns string
		err = rows.Scan(&k.table, &columns, &k.other, &otherColumns)
		k.columns, k.otherColumns = strings.Split(columns, ","), strings.Split(otherColumns, ",")
		return k, err
	}, query)
	w.must(err)
	if len(keys) == 0 {
		w.t.Error("no keys were found")
	}
	return keys
}
