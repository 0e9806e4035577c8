// Package db runs transactions on SQLite or PostgreSQL.
//
// One SQL text serves both databases. dialect has the few expressions that differ, and
// Engine has the operations that differ.
package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Config describes a database.
type Config struct {
	// URL is the address of a PostgreSQL database. If it is empty, the database is SQLite in Dir.
	URL string
	Dir string
	// Migrations has the folders "sqlite" and "postgres".
	Migrations fs.FS
	// Before, if set, is called before the migrations, also by Attach. If it returns an error, nothing is changed.
	Before func(ctx context.Context, q Querier, found Schema) error
	// After, if set, is called by Open if migrations were applied, with the schema from before them.
	After func(ctx context.Context, q Querier, before Schema) error
	// Exclusive, if set, is called by Open after the migrations if no other process can be using the database. This is
	// never the case for PostgreSQL.
	Exclusive func(ctx context.Context, q Querier) error
}

// DB is a database. It is safe for concurrent use.
type DB struct {
	dialect
	engine  Engine
	onRead  func(took time.Duration)
	onWrite func(took time.Duration)
}

// Func runs SQL on a database, in a transaction or without one.
type Func func(ctx context.Context, q Querier) error

// Engine is a kind of database. Its methods have the contracts of the methods of DB.
type Engine interface {
	Read(ctx context.Context, do Func) error
	Snapshot(ctx context.Context, do Func) error
	Write(ctx context.Context, do Func) error
	WriteAlone(ctx context.Context, do Func) error
	Change(ctx context.Context, steps []Step) error
	RunSteps(ctx context.Context, q Querier, steps []Step) error
	// Shards returns a number for each of at least one key. It is the same for keys on one shard.
	Shards(ctx context.Context, table string, keys []int64) ([]int64, error)
	Notify(ctx context.Context, payload string) error
	Listen(ctx context.Context, missed func(), notified func(payload string)) error
	TruncateLog(ctx context.Context) (bool, error)
	Integrity(ctx context.Context) ([]string, error)
	Version(ctx context.Context) (string, error)
	Size(ctx context.Context) (int64, error)
	Distributed() bool
	Close() error
}

// Open opens a database and applies the migrations that it lacks.
func Open(ctx context.Context, config Config) (*DB, error) {
	if config.URL == "" {
		return newDB(dialect{}, func() (Engine, error) { return openSQLite(ctx, config) })
	}
	if err := checkURL(config.URL); err != nil {
		return nil, err
	}
	return newDB(dialect{postgres: true}, func() (Engine, error) { return openPostgres(ctx, config) })
}

// Attach opens a database that other processes may be using. It applies no migrations:
// the schema must be exactly that of config.Migrations.
func Attach(ctx context.Context, config Config) (*DB, error) {
	if config.URL == "" {
		return newDB(dialect{}, func() (Engine, error) { return attachSQLite(ctx, config) })
	}
	if err := checkURL(config.URL); err != nil {
		return nil, err
	}
	return newDB(dialect{postgres: true}, func() (Engine, error) { return attachPostgres(ctx, config) })
}

func checkURL(url string) error {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return nil
	}
	return errors.New("the database URL must be empty (SQLite) or begin with postgres://")
}

func newDB(d dialect, open func() (Engine, error)) (*DB, error) {
	engine, err := open()
	if err != nil {
		return nil, err
	}
	ignore := func(time.Duration) {}
	return &DB{dialect: d, engine: engine, onRead: ignore, onWrite: ignore}, nil
}

// Measure reports the duration of each read and write. It must be called before the first use.
func (d *DB) Measure(read, write func(took time.Duration)) { d.onRead, d.onWrite = read, write }

// Wrap replaces the engine, for tests that inject faults or inspect statements.
func (d *DB) Wrap(wrap func(Engine) Engine) { d.engine = wrap(d.engine) }

// Read runs do, which reads little with single statements. With SQLite it can't be
// interrupted once it has begun.
func (d *DB) Read(ctx context.Context, do Func) error {
	begun := time.Now()
	defer func() { d.onRead(time.Since(begun)) }()
	return d.engine.Read(ctx, do)
}

// Snapshot runs do in a transaction that reads one state of the database. It may take long.
func (d *DB) Snapshot(ctx context.Context, do Func) error { return d.engine.Snapshot(ctx, do) }

// MaxSnapshots is how many snapshots of users should run at once. With SQLite it is the
// number of connections that they have. With PostgreSQL other operations use the same
// connections, so it is a part of them.
func (d *DB) MaxSnapshots() int {
	if d.postgres {
		return maxConnections / 4
	}
	return sqliteReaders()
}

// Write runs do in a transaction and returns once it is durable. do may run more than
// once, so it must have no other effects, and it must return every error of its
// statements. It must use the context that it is given, since with SQLite the
// transaction is shared with other callers.
func (d *DB) Write(ctx context.Context, do Func) error {
	begun := time.Now()
	defer func() { d.onWrite(time.Since(begun)) }()
	return d.engine.Write(ctx, do)
}

// WriteAlone is Write for long work: with SQLite the transaction is not shared, so the
// error of another caller can't make it run twice.
func (d *DB) WriteAlone(ctx context.Context, do Func) error { return d.engine.WriteAlone(ctx, do) }

// Change runs the steps in a transaction, all or none, and returns once it is durable.
// With PostgreSQL it takes one round trip.
func (d *DB) Change(ctx context.Context, steps ...Step) error {
	begun := time.Now()
	defer func() { d.onWrite(time.Since(begun)) }()
	return d.engine.Change(ctx, steps)
}

// ChangeOne runs one statement and reports whether it changed a row.
func (d *DB) ChangeOne(ctx context.Context, query string, args ...any) (bool, error) {
	errUnchanged := errors.New("no row was changed")
	err := d.Change(ctx, Require(errUnchanged, query, args...))
	if errors.Is(err, errUnchanged) {
		return false, nil
	}
	return err == nil, err
}

// RunSteps runs steps within a transaction of Write or WriteAlone. With PostgreSQL it
// takes one round trip. After an error the transaction must end.
func (d *DB) RunSteps(ctx context.Context, q Querier, steps []Step) error {
	return d.engine.RunSteps(ctx, q, steps)
}

// Notify sends a payload, of less than 8,000 bytes, to every process that listens on the database. With SQLite there
// are no such processes.
func (d *DB) Notify(ctx context.Context, payload string) error { return d.engine.Notify(ctx, payload) }

// Listen calls notified for each payload until ctx ends or the connection is lost. It
// calls missed if notifications may have been lost: with PostgreSQL when it begins, with
// SQLite each time another process has written to the database.
func (d *DB) Listen(ctx context.Context, missed func(), notified func(payload string)) error {
	return d.engine.Listen(ctx, missed, notified)
}

// TruncateLog moves what the write-ahead log of SQLite has to the database file, and truncates the log. No old pages
// are left in it. It returns false if a reader or writer is using the log: try again later. PostgreSQL recycles its log
// by itself.
func (d *DB) TruncateLog(ctx context.Context) (bool, error) { return d.engine.TruncateLog(ctx) }

// Integrity returns the errors that the database finds in its files, at most a few lines.
func (d *DB) Integrity(ctx context.Context) ([]string, error) { return d.engine.Integrity(ctx) }

// Version returns the name and version of the database.
func (d *DB) Version(ctx context.Context) (string, error) { return d.engine.Version(ctx) }

// Size returns the size of the database in bytes.
func (d *DB) Size(ctx context.Context) (int64, error) { return d.engine.Size(ctx) }

// Distributed reports whether the database has Citus.
func (d *DB) Distributed() bool { return d.engine.Distributed() }

// Ping returns an error if the database does not respond.
func (d *DB) Ping(ctx context.Context) error {
	if _, err := ReadOne[int](ctx, d, `SELECT 1`); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// Close waits for running writes and closes the database.
func (d *DB) Close() error { return d.engine.Close() }
