// Package store keeps everything in a database: SQLite in a folder, or PostgreSQL.
//
// One SQL text serves both; sqlite.go and postgres.go hold the few real differences.
// The store knows no rules of the service. What it can't find it reports with the
// parley error a user should see; any other error is a fault of the database.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/metrics"
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	engine
	metrics *metrics.Metrics
	queued  chan struct{} // wakes the search indexer
}

// engine is what SQLite and PostgreSQL do differently.
type engine interface {
	// read runs do, which reads little with single statements. The context given to
	// do is the engine's.
	read(ctx context.Context, do func(ctx context.Context, q querier) error) error
	// write runs do in a transaction and returns once it is durable. do may run more
	// than once and so must do SQL only, and must return every error it meets. The
	// context given to do is the engine's.
	write(ctx context.Context, do func(ctx context.Context, q querier) error) error
	// change does the steps in a transaction, all or none, and returns once they are durable.
	change(ctx context.Context, steps []step) error
	// together does steps within the transaction of a write; nothing else may be done in
	// it after an error.
	together(ctx context.Context, q querier, steps []step) error
	// writeAlone is write for long work: with SQLite it shares its transaction with
	// nobody, so that nobody's fault makes it run twice.
	writeAlone(ctx context.Context, do func(ctx context.Context, q querier) error) error
	// snapshot runs do in a transaction that reads one state of the database, and
	// may take a while.
	snapshot(ctx context.Context, do func(ctx context.Context, q querier) error) error
	// version is the engine's name and version, for people.
	version(ctx context.Context) (string, error)
	close() error

	// forUpdate ends a SELECT that locks its rows against other writers.
	forUpdate() string
	// saveProgress, signal and listen are between replicas; see Store's methods.
	saveProgress(ctx context.Context, owner string, turns []Progress) ([]Standing, error)
	signal(ctx context.Context, payload string) error
	listen(ctx context.Context, began func(), heard func(payload string)) error
	// now is an SQL expression for the database's clock in microseconds.
	now() string
	// listed is a query of the strings (value) in a list, given by a placeholder; listArg
	// makes the argument.
	listed(placeholder string) string
	listArg(values []string) any
	// lockIndex is a query of the user ($1) that locks the user's part of the search index
	// against other indexers. It finds none where the user is gone or, unless it may wait,
	// another holds the lock.
	lockIndex(wait bool) string
	// skipLocked ends a SELECT that locks its rows and leaves out those that others have locked.
	skipLocked() string
	// integrity is for Integrity.
	integrity(ctx context.Context) ([]string, error)
}

// querier runs SQL: a pool, a transaction, or a connection with prepared statements.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Open opens the database at url, or SQLite in dir where url is empty, and brings
// its schema up to date.
func Open(ctx context.Context, dir, url string) (*Store, error) {
	if url == "" {
		return newStore(openSQLite(ctx, dir))
	}
	if err := checkURL(url); err != nil {
		return nil, err
	}
	return newStore(openPostgres(ctx, url))
}

// Attach opens a database as Open does, but beside the servers that are using it: it
// keeps none of them out and leaves the schema as it is, which has to be this
// program's. It is for commands that look or change a little, and then end.
func Attach(ctx context.Context, dir, url string) (*Store, error) {
	if url == "" {
		return newStore(attachSQLite(ctx, dir))
	}
	if err := checkURL(url); err != nil {
		return nil, err
	}
	return newStore(attachPostgres(ctx, url))
}

func checkURL(url string) error {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return nil
	}
	return errors.New("the database URL must be empty (SQLite) or begin with postgres://")
}

func newStore(e engine, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	return &Store{engine: e, metrics: metrics.New(), queued: make(chan struct{}, 1)}, nil
}

// Measure counts what the database does in m from now on. It comes before the first use.
func (s *Store) Measure(m *metrics.Metrics) { s.metrics = m }

// read reads with single statements, and measures them.
func (s *Store) read(ctx context.Context, do func(context.Context, querier) error) error {
	begun := time.Now()
	defer func() { s.metrics.DatabaseRead(time.Since(begun)) }()
	return s.engine.read(ctx, do)
}

// readRow reads one row with scan.
func (s *Store) readRow(ctx context.Context, scan func(row *sql.Row) error, query string, args ...any) error {
	return s.read(ctx, func(ctx context.Context, q querier) error { return scan(q.QueryRowContext(ctx, query, args...)) })
}

// readList reads all rows of a query; scan reads one.
func readList[T any](ctx context.Context, s *Store, scan func(*sql.Rows) (T, error), query string, args ...any) (all []T, err error) {
	err = s.read(ctx, func(ctx context.Context, q querier) error {
		all, err = list(ctx, q, scan, query, args...)
		return err
	})
	return all, err
}

// write runs a transaction, and measures it.
func (s *Store) write(ctx context.Context, do func(context.Context, querier) error) error {
	begun := time.Now()
	defer func() { s.metrics.DatabaseWrite(time.Since(begun)) }()
	return s.engine.write(ctx, do)
}

// change does steps in a transaction, all or none, and measures it.
func (s *Store) change(ctx context.Context, steps ...step) error {
	begun := time.Now()
	defer func() { s.metrics.DatabaseWrite(time.Since(begun)) }()
	return s.engine.change(ctx, steps)
}

// changed does one statement and says whether there was anything to change.
func (s *Store) changed(ctx context.Context, query string, args ...any) (bool, error) {
	err := s.change(ctx, must(errUnchanged, query, args...))
	if errors.Is(err, errUnchanged) {
		return false, nil
	}
	return err == nil, err
}

var errUnchanged = errors.New("there was nothing to change")

// Close waits for what is being written and closes the database.
func (s *Store) Close() error { return s.close() }

// Version is the database's name and version, for people.
func (s *Store) Version(ctx context.Context) (string, error) { return s.version(ctx) }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.readRow(ctx, func(row *sql.Row) error { return row.Scan(&one) }, `SELECT 1`); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// exec runs a statement and says how many rows it changed.
func exec(ctx context.Context, q querier, query string, args ...any) (int64, error) {
	result, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// lockSession makes sure that the session is the user's, else parley.ErrNoSuchSession,
// and that no other transaction writes to it. Every write to a session's messages
// begins so, or with an UPDATE of the session's row.
func (s *Store) lockSession(userID int64, sessionID string) step {
	return must(parley.ErrNoSuchSession, `SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2`+s.forUpdate(), sessionID, userID).into(new(int))
}

// list reads all rows of a query; scan reads one.
func list[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// scanOne reads a row of one column.
func scanOne[T any](rows *sql.Rows) (T, error) {
	var v T
	err := rows.Scan(&v)
	return v, err
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// seconds turns stored microseconds into the contract's unit.
func seconds(micros int64) int64 { return micros / 1_000_000 }
