package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"parley/internal/fsutil"
)

// sqlite is one database file: a writer that commits waiting transactions together,
// and readers beside it.
type sqlite struct {
	file string
	lock *os.File // nil if attached
	*writer
	*readers
	long *readers // for snapshots, which may take long
}

func openSQLite(ctx context.Context, config Config) (_ *sqlite, err error) {
	dir := config.Dir
	if err := fsutil.Make(dir); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s := &sqlite{}
	defer func() {
		if err != nil {
			_ = s.Close()
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
	return s, s.open(ctx, file, func(ctx context.Context, pool *sql.DB) error {
		if err := (dialect{}).prepare(ctx, pool, config); err != nil {
			return err
		}
		if config.Exclusive == nil {
			return nil
		}
		return config.Exclusive(ctx, pool)
	})
}

// makePrivate creates the file, if it does not exist, with access for its owner only.
// SQLite would make it readable for all users. It gives the files beside it the same mode.
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

// attachSQLite opens the database in a folder that a server may be using. SQLite's own
// locks make each wait for the other's transactions.
func attachSQLite(ctx context.Context, config Config) (_ *sqlite, err error) {
	file, err := FindSQLite(config.Dir)
	if err != nil {
		return nil, err
	}
	s := &sqlite{}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	return s, s.open(ctx, file, func(ctx context.Context, pool *sql.DB) error {
		return dialect{}.attach(ctx, pool, config)
	})
}

// open connects the writer, which calls prepare first, and the readers.
func (s *sqlite) open(ctx context.Context, file string, prepare func(context.Context, *sql.DB) error) error {
	// The file must exist in WAL mode before read-only connections open it.
	s.file = file
	pool, err := sql.Open("sqlite", sqliteDSN(file, "_txlock=immediate&_pragma=cache_size(-8192)"))
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	if s.writer, err = newWriter(ctx, pool, prepare); err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	if s.readers, err = openReaders(file, sqliteReaders()); err != nil {
		return err
	}
	s.long, err = openReaders(file, sqliteReaders())
	return err
}

// sqliteReaders is how many connections read, for short reads and again for snapshots.
func sqliteReaders() int { return max(4, runtime.GOMAXPROCS(0)) }

// sqliteDSN names a database file and the settings of each connection to it.
// synchronous=FULL: a commit has reached the disk when it returns. secure_delete: deleted rows are overwritten with
// zeros.
//
// The cache is SQLite's default of 2 MB unless more sets it. Readers drop theirs with each commit of the writer. It
// takes twice its size: a page with its header is a little over 4 KiB, and the allocator has slots of 4 and 8.
func sqliteDSN(file, more string) string {
	return "file:" + escapePath(file) +
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)" +
		"&_pragma=secure_delete(1)&" + more
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

func (s *sqlite) Change(ctx context.Context, steps []Step) error {
	return s.Write(ctx, func(ctx context.Context, q Querier) error { return RunEach(ctx, q, steps) })
}

func (s *sqlite) RunSteps(ctx context.Context, q Querier, steps []Step) error {
	return RunEach(ctx, q, steps)
}

func (s *sqlite) Snapshot(ctx context.Context, do Func) error { return s.long.readAll(ctx, do) }

func (s *sqlite) Version(ctx context.Context) (string, error) {
	var version string
	err := s.Read(ctx, func(ctx context.Context, q Querier) error {
		return q.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&version)
	})
	return "SQLite " + version, err
}

// Size implements Engine. It counts the data without the write-ahead log.
func (s *sqlite) Size(ctx context.Context) (size int64, err error) {
	err = s.Read(ctx, func(ctx context.Context, q Querier) error {
		return q.QueryRowContext(ctx, `
			SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`).Scan(&size)
	})
	return size, err
}

func (s *sqlite) Distributed() bool { return false }

func (s *sqlite) Close() error {
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

// Notify does nothing, because only one server uses the database.
func (s *sqlite) Notify(context.Context, string) error { return nil }

// Listen checks every second whether another process, such as an operator's command, has
// written to the database.
func (s *sqlite) Listen(ctx context.Context, missed func(), _ func(string)) error {
	const interval = time.Second
	var last int64
	for first := true; ; first = false {
		var version int64
		// The version changes with the commits of all connections but this one.
		err := s.Write(ctx, func(ctx context.Context, q Querier) error {
			return q.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
		})
		if err != nil {
			return fmt.Errorf("check for changes by other processes: %w", err)
		}
		if !first && version != last {
			missed()
		}
		last = version
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
}

func (s *sqlite) Integrity(ctx context.Context) ([]string, error) {
	var found []string
	err := s.Snapshot(ctx, func(ctx context.Context, q Querier) error {
		lines, err := List(ctx, q, ScanOne[string], `PRAGMA integrity_check(10)`)
		if err != nil {
			return err
		}
		broken, err := List(ctx, q, ScanOne[string], `
			SELECT "table" || ' refers to a row of ' || parent || ' that is not there'
			FROM pragma_foreign_key_check LIMIT 10`)
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
