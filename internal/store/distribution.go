package store

import (
	"context"
	"database/sql"
	"fmt"

	"parley/internal/db"
)

// Distribution is how the tables are distributed over the nodes of a Citus cluster.
type Distribution struct {
	// Workers is how many nodes hold shards.
	Workers int
	// Distributed is how many tables are distributed.
	Distributed int
	// Local are the tables of users' data that are not distributed by user.
	Local []string
}

// distributed selects the tables that should be distributed, each with its column.
const distributed = `
	SELECT c.table_name, CASE c.table_name WHEN 'users' THEN 'id' WHEN 'emails' THEN 'email_key'
	    WHEN 'share_links' THEN 'id' WHEN 'identities' THEN 'hash' ELSE 'user_id' END AS key
	FROM information_schema.columns c
	WHERE c.table_schema = current_schema()
	AND (c.column_name = 'user_id' OR c.table_name = 'users' AND c.column_name = 'id')
	AND EXISTS (SELECT 1 FROM pg_class r WHERE r.oid = to_regclass(c.table_name) AND r.relkind = 'r')`

// Distribution returns how the tables are distributed, and false if the database has no Citus.
func (s *Store) Distribution(ctx context.Context) (d Distribution, found bool, err error) {
	if !s.db.Shared() {
		return d, false, nil
	}
	found, err = db.ReadOne[bool](ctx, s.db, `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`)
	if err != nil || !found {
		return d, false, err
	}
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&d.Workers, &d.Distributed) }, `
		SELECT (SELECT count(*) FROM pg_dist_node WHERE shouldhaveshards AND isactive),
		    (SELECT count(*) FROM citus_tables WHERE citus_table_type = 'distributed')`)
	if err != nil {
		return d, true, fmt.Errorf("read the distribution: %w", err)
	}
	d.Local, err = db.ReadList(ctx, s.db, db.ScanOne[string], `
		SELECT t.table_name FROM (`+distributed+`) t
		WHERE NOT EXISTS (SELECT 1 FROM citus_tables d WHERE d.table_name = to_regclass(t.table_name)
		    AND d.citus_table_type = 'distributed' AND d.distribution_column = t.key)
		ORDER BY t.table_name`)
	if err != nil {
		return d, true, fmt.Errorf("list tables that are not distributed: %w", err)
	}
	return d, true, nil
}
