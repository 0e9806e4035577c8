package move

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/db"
)

// leftOut are the tables that belong to a database and not to the service's data, each with the reason.
var leftOut = map[string]string{
	"goose_db_version": "the migrations that were applied to this database",
	"bookkeeping":      "what is known about this database",
	"owners":           "the processes that use this database",
	"admin_claims":     "the code of a process for the first administrator, good for an hour",
	"shard_counts":     "the statements that ran on the shards of this database",
}

// plan returns the tables to move, those that others refer to first. Each has the key of the table of PostgreSQL, if
// one of the databases is that: it also is a unique key of SQLite's table, and the other way round it need not be.
func plan(from, to []db.Table, keysOf string) ([]db.Table, error) {
	from, to = moved(from), moved(to)
	if a, b := names(from), names(to); !slices.Equal(a, b) {
		return nil, fmt.Errorf("the databases have different tables: %s and %s", strings.Join(a, ", "), strings.Join(b, ", "))
	}
	for i := range from {
		if err := compare(from[i], to[i]); err != nil {
			return nil, err
		}
		if keysOf == target {
			from[i].Key = to[i].Key
		}
	}
	return order(from)
}

// source and target say which tables a plan takes its keys from.
const (
	source = "source"
	target = "target"
)

// moved returns the tables that are not left out.
func moved(tables []db.Table) []db.Table {
	return slices.DeleteFunc(slices.Clone(tables), func(t db.Table) bool { return leftOut[t.Name] != "" })
}

func names(tables []db.Table) []string {
	all := make([]string, len(tables))
	for i, t := range tables {
		all[i] = t.Name
	}
	return all
}

// compare returns an error unless two tables have the same columns, and types and keys that can be moved.
func compare(a, b db.Table) error {
	if len(a.Key) == 0 || len(b.Key) == 0 {
		return fmt.Errorf("the table %s has no primary key", a.Name)
	}
	if len(a.Columns) != len(b.Columns) {
		return fmt.Errorf("the tables %s have different columns", a.Name)
	}
	for _, column := range a.Columns {
		if column.Kind == "" {
			return fmt.Errorf("the type of %s.%s is not one that can be moved", a.Name, column.Name)
		}
		if !slices.Contains(b.Columns, column) {
			return fmt.Errorf("the column %s.%s is not the same in both databases", a.Name, column.Name)
		}
	}
	return nil
}

// order sorts the tables. Each comes after those that it refers to.
func order(tables []db.Table) ([]db.Table, error) {
	var ordered []db.Table
	for len(ordered) < len(tables) {
		before := len(ordered)
		for _, t := range tables {
			done := names(ordered)
			waits := func(parent string) bool { return parent != t.Name && !slices.Contains(done, parent) }
			if !slices.Contains(done, t.Name) && !slices.ContainsFunc(t.Parents, waits) {
				ordered = append(ordered, t)
			}
		}
		if len(ordered) == before {
			return nil, fmt.Errorf("some tables refer to each other in a circle: %s", strings.Join(names(tables), ", "))
		}
	}
	return ordered, nil
}
