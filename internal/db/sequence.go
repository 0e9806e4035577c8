package db

import (
	"context"
	"database/sql"
	"fmt"
)

// identity is the FROM clause for the columns of PostgreSQL that get their values from a sequence.
const identity = ` FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
	CROSS JOIN LATERAL (SELECT CAST(pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS regclass) AS name) s
	WHERE ` + ownTables

// Sequences returns the last number made for each table that gets its ids from the database. Numbers are not used
// again, even if their rows are gone.
func (d *DB) Sequences(ctx context.Context) (map[string]int64, error) {
	query := `SELECT name, seq FROM sqlite_sequence`
	if d.postgres {
		query = `SELECT c.relname, COALESCE(pg_sequence_last_value(s.name), 0)` + identity
	}
	last := map[string]int64{}
	err := d.Read(ctx, func(ctx context.Context, q Querier) error {
		return Each(ctx, q, func(rows *sql.Rows) error {
			var table string
			var number int64
			err := rows.Scan(&table, &number)
			last[table] = number
			return err
		}, query)
	})
	if err != nil {
		return nil, fmt.Errorf("read the sequences: %w", err)
	}
	return last, nil
}

// SetSequence sets the last number that was made for a table, which is above 0.
func (d *DB) SetSequence(ctx context.Context, table string, last int64) error {
	steps := []Step{
		Do(`DELETE FROM sqlite_sequence WHERE name = $1`, table),
		Do(`INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`, table, last),
	}
	if d.postgres {
		var set int64
		steps = []Step{Do(`SELECT setval(s.name, $2)`+identity+` AND c.relname = $1`, table, last).Into(&set)}
	}
	if err := d.Change(ctx, steps...); err != nil {
		return fmt.Errorf("set the sequence of %s: %w", table, err)
	}
	return nil
}
