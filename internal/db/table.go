package db

import (
	"context"
	"database/sql"
	"fmt"
)

// Kind is the kind of a column's values.
type Kind string

// The kinds of values: int64, string and []byte.
const (
	Integer Kind = "integer"
	Text    Kind = "text"
	Bytes   Kind = "bytes"
)

// kinds has the kinds of the types that our schemas use, by their names in both databases.
var kinds = map[string]Kind{
	"INTEGER": Integer, "BIGINT": Integer, "bigint": Integer,
	"TEXT": Text, "text": Text,
	"BLOB": Bytes, "bytea": Bytes,
}

// Column is a column of a table.
type Column struct {
	Name string
	// Kind is empty if the column has a type that our schemas don't use.
	Kind Kind
}

// Table is a table of a database.
type Table struct {
	Name    string
	Columns []Column
	// Key has the names of the columns of the primary key, in its order.
	Key []string
	// Parents are the tables that it refers to.
	Parents []string
}

// tableNames returns a query of the names of all tables, but those of the database itself and of extensions.
func (d dialect) tableNames() string {
	if d.postgres {
		return `SELECT c.relname FROM pg_class c WHERE ` + ownTables + ` ORDER BY c.relname`
	}
	return `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`
}

// ownTables is the condition for tables of PostgreSQL in pg_class c.
const ownTables = `c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
	AND NOT EXISTS (SELECT 1 FROM pg_depend d
	    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`

// columns returns a query of the columns of all tables: table, column, type, and place in the primary key, or 0.
func (d dialect) columns() string {
	if d.postgres {
		return `
			SELECT c.relname, a.attname, format_type(a.atttypid, NULL), COALESCE((
			    SELECT k.place FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (number, place)
			    WHERE i.indrelid = c.oid AND i.indisprimary AND k.number = a.attnum), 0)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE ` + ownTables + ` ORDER BY c.relname, a.attnum`
	}
	return `SELECT m.name, c.name, c.type, c.pk FROM (` + d.tableNames() + `) m, pragma_table_info(m.name) c
		ORDER BY m.name, c.cid`
}

// parents returns a query of the foreign keys: table, and the table that it refers to.
func (d dialect) parents() string {
	if d.postgres {
		return `SELECT DISTINCT c.relname, p.relname FROM pg_constraint f
			JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
			WHERE f.contype = 'f' AND ` + ownTables + ` ORDER BY 1, 2`
	}
	return `SELECT DISTINCT m.name, f."table" FROM (` + d.tableNames() + `) m, pragma_foreign_key_list(m.name) f
		ORDER BY 1, 2`
}

// Tables describes all tables, in order of their names.
func (d *DB) Tables(ctx context.Context) ([]Table, error) {
	var tables []Table
	err := d.Snapshot(ctx, func(ctx context.Context, q Querier) (err error) {
		tables, err = d.readTables(ctx, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("describe the tables: %w", err)
	}
	return tables, nil
}

func (d dialect) readTables(ctx context.Context, q Querier) (tables []Table, err error) {
	keys := map[string]map[int]string{} // columns of primary keys by table and place
	err = Each(ctx, q, func(rows *sql.Rows) error {
		var table, column, kind string
		var place int
		if err := rows.Scan(&table, &column, &kind, &place); err != nil {
			return err
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, Table{Name: table})
			keys[table] = map[int]string{}
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, Column{Name: column, Kind: kinds[kind]})
		if place > 0 {
			keys[table][place] = column
		}
		return nil
	}, d.columns())
	if err != nil {
		return nil, err
	}
	parents := map[string][]string{}
	err = Each(ctx, q, func(rows *sql.Rows) error {
		var table, parent string
		err := rows.Scan(&table, &parent)
		parents[table] = append(parents[table], parent)
		return err
	}, d.parents())
	for i := range tables {
		table := &tables[i]
		table.Parents = parents[table.Name]
		for place := 1; place <= len(keys[table.Name]); place++ {
			table.Key = append(table.Key, keys[table.Name][place])
		}
	}
	return tables, err
}
