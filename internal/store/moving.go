package store

import (
	"context"
	"fmt"

	"parley/internal/db"
)

// Target describes a database that another one's data is moved to. Open calls check before it changes anything there.
func (c OpenConfig) Target(check func(ctx context.Context, q db.Querier, found db.Schema) error) db.Config {
	config := c.config()
	config.Before = check
	return config
}

// FileBytes returns the size of all files with what was made of them, and of the files of open imports.
func (s *Store) FileBytes(ctx context.Context) (int64, error) {
	size, err := db.ReadOne[int64](ctx, s.db, `
		SELECT (SELECT `+bytesOfFiles+` FROM files)
		    + (SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM imports WHERE ended_at = 0)`)
	if err != nil {
		return 0, fmt.Errorf("measure the files: %w", err)
	}
	return size, nil
}

// OpenImportFiles returns the ids of the files of open imports.
func (s *Store) OpenImportFiles(ctx context.Context) ([]string, error) {
	files, err := db.ReadList(ctx, s.db, db.ScanOne[string], `
		SELECT file_id FROM imports WHERE ended_at = 0 AND file_id <> '' ORDER BY file_id`)
	if err != nil {
		return nil, fmt.Errorf("list files of imports: %w", err)
	}
	return files, nil
}
