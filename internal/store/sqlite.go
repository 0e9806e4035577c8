package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"parley/internal/fsutil"
)

const (
	// SQLiteFile is the database in the data folder.
	SQLiteFile = "parley.db"
	// Restoring is a file in the data folder that is there while a restore puts its
	// files in place. No server starts then.
	Restoring = "restore.unfinished"
)

// sqlite is one database file: a writer that commits waiting transactions together,
// and readers beside it.
type sqlite struct {
	lock *os.File
	*writer
	*readers
	long *readers // for what may take a while
}

func openSQLite(ctx context.Context, dir string) (_ *sqlite, err error) {
	if err := fsutil.Make(dir); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s := &sqlite{}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	if s.lock, err = lockFolder(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, Restoring)); err == nil {
		return nil, fmt.Errorf("a restore into %s was interrupted: run parley restore --force again", dir)
	}
	file := filepath.Join(dir, SQLiteFile)
	if err := makePrivate(file); err != nil {
		return nil, err
	}
	return s, s.open(ctx, file, func(ctx context.Context, db *sql.DB) error {
		if err := migrate(ctx, db, goose.DialectSQLite3, "sqlite"); err != nil {
			return err
		}
		return forgetOwners(ctx, db)
	})
}

// makePrivate makes the file where it does not exist, for its owner only: SQLite would
// let everybody read it, and gives the files beside it the same rights.
func makePrivate(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	return f.Close()
}

// attachSQLite opens the database in dir beside the server that may be using it.
// SQLite's own locks keep the two apart; each waits for the other's transactions.
func attachSQLite(ctx context.Context, dir string) (_ *sqlite, err error) {
	file, err := FindSQLite(dir)
	if err != nil {
		return nil, err
	}
	s := &sqlite{}
	defer func() {
		if err != nil {
			_ = s.close()
		}
	}()
	return s, s.open(ctx, file, func(ctx context.Context, db *sql.DB) error { return checkSchema(ctx, db) })
}

// open connects the writer, which prepares the database, and the readers.
func (s *sqlite) open(ctx context.Context, file string, prepare func(context.Context, *sql.DB) error) error {
	// The file must exist in WAL mode before read-only connections open it.
	writes, err := sql.Open("sqlite", sqliteDSN(file, "_txlock=immediate"))
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	if s.writer, err = newWriter(ctx, writes, prepare); err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	connections := max(4, runtime.GOMAXPROCS(0))
	if s.readers, err = openReaders(file, connections); err != nil {
		return err
	}
	s.long, err = openReaders(file, connections)
	return err
}

// sqliteDSN names a database file and the settings of each connection to it.
// synchronous=FULL: a commit has reached the disk when it returns.
func sqliteDSN(file, more string) string {
	return "file:" + escapePath(file) +
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)" +
		"&_pragma=cache_size(-16384)&" + more
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// lockFolder keeps a second process from using the folder.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("the data folder %s is in use by another process", dir)
	}
	return f, nil
}

// LockFolder keeps every server out of a data folder until it is released. Where one
// is using the folder it is an error.
func LockFolder(dir string) (release func() error, err error) {
	f, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

func (s *sqlite) change(ctx context.Context, steps []step) error {
	return s.write(ctx, func(ctx context.Context, q querier) error { return runAll(ctx, q, steps) })
}

func (s *sqlite) together(ctx context.Context, q querier, steps []step) error {
	return runAll(ctx, q, steps)
}

func (s *sqlite) snapshot(ctx context.Context, do func(context.Context, querier) error) error {
	return s.long.readAll(ctx, do)
}

func (s *sqlite) version(ctx context.Context) (string, error) {
	var version string
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		return q.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&version)
	})
	return "SQLite " + version, err
}

func (s *sqlite) close() error {
	var errs []error
	if s.writer != nil {
		errs = append(errs, s.writer.stop())
	}
	if s.readers != nil {
		errs = append(errs, s.readers.stop())
	}
	if s.long != nil {
		errs = append(errs, s.long.stop())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// There are no other replicas.
func (s *sqlite) saveProgress(_ context.Context, _ string, turns []Progress) ([]Standing, error) {
	return make([]Standing, len(turns)), nil
}

func (s *sqlite) signal(context.Context, string) error { return nil }

// listen looks each second whether somebody else has written to the database: an
// operator's command, of which it knows no more. Other replicas there are none.
func (s *sqlite) listen(ctx context.Context, began func(), _ func(string)) error {
	const pause = time.Second
	var last int64
	for first := true; ; first = false {
		var version int64
		// It changes with the commits of all connections but the one that asks.
		err := s.write(ctx, func(ctx context.Context, q querier) error {
			return q.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
		})
		if err != nil {
			return fmt.Errorf("look for changes from outside: %w", err)
		}
		if !first && version != last {
			began()
		}
		last = version
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// The one writer needs no locks.
func (s *sqlite) forUpdate() string { return `` }

func (s *sqlite) now() string { return `CAST(unixepoch('subsec') * 1000000 AS INTEGER)` }

func (s *sqlite) listed(placeholder string) string {
	return `SELECT value FROM json_each(` + placeholder + `)`
}

func (s *sqlite) listArg(values []string) any {
	list, _ := json.Marshal(values) // strings have no other way
	return string(list)
}

func (s *sqlite) lockIndex(bool) string { return `SELECT id FROM users WHERE id = $1` }

func (s *sqlite) skipLocked() string { return `` }

func (s *sqlite) integrity(ctx context.Context) ([]string, error) {
	var found []string
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		lines, err := list(ctx, q, scanOne[string], `PRAGMA integrity_check(10)`)
		if err != nil {
			return err
		}
		broken, err := list(ctx, q, scanOne[string], `
			SELECT "table" || ' refers to a row of ' || parent || ' that is not there' FROM pragma_foreign_key_check LIMIT 10`)
		if err != nil {
			return err
		}
		if len(lines) == 1 && lines[0] == "ok" {
			lines = nil
		}
		found = append(lines, broken...)
		return nil
	})
	return found, err
}
