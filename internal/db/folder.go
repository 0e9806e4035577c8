package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/fsutil"
)

const (
	// SQLiteFile is the database in the data folder.
	SQLiteFile = "parley.db"
	// Restoring is a file in the data folder that exists while a restore puts its files in
	// place. No server starts then.
	Restoring = "restore.unfinished"
)

var (
	// ErrNoDatabase is returned if a data folder has no SQLite database.
	ErrNoDatabase = errors.New("there is no database")
	// ErrNoRights is returned if the database belongs to another user.
	ErrNoRights = errors.New("this user may not write it; run the command as the user that the server runs as")
)

// FindSQLite returns the path of the database file in dir, ErrNoDatabase or ErrNoRights.
func FindSQLite(dir string) (string, error) {
	file := filepath.Join(dir, SQLiteFile)
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w in %s: check PARLEY_DATA (--data)", ErrNoDatabase, dir)
	}
	// The file must not be opened: closing it again would end SQLite's locks in this process.
	err = errors.Join(err, fsutil.CheckWritable(file), fsutil.CheckWritable(dir))
	if errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("%s: %w", file, ErrNoRights)
	}
	return file, err
}

// LockFolder prevents servers from using a data folder until release is called. It returns
// an error if a server is using the folder.
func LockFolder(dir string) (release func() error, err error) {
	f, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

// lockFolder locks the folder until the file is closed.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := fsutil.TryLock(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("the data folder %s is in use by another process", dir)
	}
	return f, nil
}

// CopySQLite copies the database in dir, as it is at one moment, into the new file at
// path. A server may be using the database and is not blocked.
func CopySQLite(ctx context.Context, dir, path string) error {
	file, err := FindSQLite(dir)
	if err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", sqliteDSN(file, "mode=rw"))
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	defer pool.Close()
	if _, err := pool.ExecContext(ctx, `VACUUM INTO $1`, path); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// ChangeCopy runs a statement in the database in the file at path, which no other process uses, if it has the table.
func ChangeCopy(ctx context.Context, path, table, statement string, args ...any) error {
	pool, err := sql.Open("sqlite", "file:"+escapePath(path)+"?mode=rw&_pragma=synchronous(FULL)")
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer pool.Close()
	var tables int
	err = pool.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = $1`, table).
		Scan(&tables)
	if err != nil || tables == 0 {
		return err
	}
	_, err = pool.ExecContext(ctx, statement, args...)
	return err
}

// OpenCopy opens the database in the file at path, which no other process uses, for
// reading.
func OpenCopy(path string) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", "file:"+escapePath(path)+"?mode=ro&immutable=1&_pragma=trusted_schema(0)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return pool, nil
}

// CheckCopy returns an error if the file of a copy is damaged or contains triggers or views.
func CheckCopy(ctx context.Context, q Querier) error {
	var result string
	if err := q.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&result); err != nil {
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
		if err := q.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return fmt.Errorf("check the database: %w", err)
		}
		if n != 0 {
			return fmt.Errorf("the database has %d %s", n, problem)
		}
	}
	return nil
}
