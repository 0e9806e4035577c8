package store

import (
	"context"
	"database/sql"
	"fmt"

	"parley"
	"parley/internal/db"
)

// Snapshot is a read-only copy of a SQLite database in its own file.
type Snapshot struct {
	pool *sql.DB
}

// OpenSnapshot opens the database in the file at path, which no other process uses.
func OpenSnapshot(path string) (*Snapshot, error) {
	pool, err := db.OpenCopy(path)
	if err != nil {
		return nil, err
	}
	return &Snapshot{pool: pool}, nil
}

// Close closes the file.
func (s *Snapshot) Close() error { return s.pool.Close() }

// Schema returns the number of the last migration that was applied to the database.
func (s *Snapshot) Schema(ctx context.Context) (int64, error) { return db.Applied(ctx, s.pool) }

// Check returns an error if the file is damaged or contains triggers or views.
func (s *Snapshot) Check(ctx context.Context) error { return db.CheckCopy(ctx, s.pool) }

// Documents calls each with the ids and types of all documents, in order of their ids.
func (s *Snapshot) Documents(ctx context.Context, each func(parley.File) error) error {
	rows, err := s.pool.QueryContext(ctx, `SELECT id, type FROM files ORDER BY id`)
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err has the error
	for rows.Next() {
		var file parley.File
		if err := rows.Scan(&file.FileID, &file.FileType); err != nil {
			return fmt.Errorf("list documents: %w", err)
		}
		if err := each(file); err != nil {
			return err
		}
	}
	return rows.Err()
}

// CountDocuments returns the number of documents.
func (s *Snapshot) CountDocuments(ctx context.Context) (n int64, err error) {
	err = s.pool.QueryRowContext(ctx, `SELECT count(*) FROM files`).Scan(&n)
	return n, err
}
