package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Snapshot is one state of a SQLite database in a file of its own, to be read only.
type Snapshot struct {
	db *sql.DB
}

// ErrNoDatabase says that a data folder holds no SQLite database.
var ErrNoDatabase = errors.New("there is no database")

// TakeSnapshot copies the SQLite database in dir, as it is at one moment, into the new
// file at path. A server may be using it, and waits for nothing.
func TakeSnapshot(ctx context.Context, dir, path string) error {
	file, err := FindSQLite(dir)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", sqliteDSN(file, "mode=rw"))
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO $1`, path); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// ErrNoRights says that a database is another user's.
var ErrNoRights = errors.New("this user may not write it; run the command as the user that the server runs as")

// FindSQLite is the database file in dir, or ErrNoDatabase, or ErrNoRights.
func FindSQLite(dir string) (string, error) {
	file := filepath.Join(dir, SQLiteFile)
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w in %s: check PARLEY_DATA (--data)", ErrNoDatabase, dir)
	}
	// Not by opening it: closing it again would end SQLite's locks in this process.
	const write = 2
	if err = errors.Join(err, syscall.Access(file, write), syscall.Access(dir, write)); errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("%s: %w", file, ErrNoRights)
	}
	return file, err
}

// OpenSnapshot opens the database in the file at path, which nobody else uses.
func OpenSnapshot(path string) (*Snapshot, error) {
	db, err := sql.Open("sqlite", "file:"+escapePath(path)+"?mode=ro&immutable=1&_pragma=trusted_schema(0)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &Snapshot{db: db}, nil
}

// Close closes the file.
func (s *Snapshot) Close() error { return s.db.Close() }

// Schema is the number of the last migration that the database has had.
func (s *Snapshot) Schema(ctx context.Context) (int64, error) { return schemaOf(ctx, s.db) }

// Documents gives the ids of all documents to each, in order.
func (s *Snapshot) Documents(ctx context.Context, each func(id string) error) error {
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM files ORDER BY id`)
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		id, err := scanOne[string](rows)
		if err != nil {
			return fmt.Errorf("list documents: %w", err)
		}
		if err := each(id); err != nil {
			return err
		}
	}
	return rows.Err()
}

// CountDocuments is how many documents there are.
func (s *Snapshot) CountDocuments(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM files`).Scan(&n)
	return n, err
}

// Check makes sure that the file is whole, and holds nothing that acts by itself.
func (s *Snapshot) Check(ctx context.Context) error {
	var result string
	if err := s.db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&result); err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if result != "ok" {
		return fmt.Errorf("the database is damaged: %s", result)
	}
	for problem, query := range map[string]string{
		"rows that refer to nothing":             `SELECT count(*) FROM pragma_foreign_key_check`,
		"triggers or views, as none of ours has": `SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')`,
	} {
		var n int64
		if err := s.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return fmt.Errorf("check the database: %w", err)
		}
		if n != 0 {
			return fmt.Errorf("the database has %d %s", n, problem)
		}
	}
	return nil
}
