// Package store stores the data of the service in a database: SQLite in a folder, or
// PostgreSQL.
//
// The store does not enforce the rules of the service. If something does not exist, it
// returns the parley error for the user. Any other error is a failure of the database.
package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/search"
)

// Store is the data of the service. It is safe for concurrent use.
type Store struct {
	db       *db.DB
	search   *search.Index
	searches *limit.Fair[int64] // by user
	deleted  atomic.Bool        // rows were deleted since the last purge
}

// Open opens the database at url, or SQLite in dir if url is empty, and brings its schema
// up to date.
func Open(ctx context.Context, dir, url string) (*Store, error) {
	return OpenConfig{Dir: dir, URL: url}.Open(ctx)
}

// Attach opens a database that servers may be using. It does not change the schema, which
// must be that of this program. It is for commands that run beside a server.
func Attach(ctx context.Context, dir, url string) (*Store, error) {
	return opened(db.Attach(ctx, Config(dir, url)))
}

func opened(database *db.DB, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	return New(database), nil
}

// Config describes the store's database at url, or in dir if url is empty.
func Config(dir, url string) db.Config {
	return OpenConfig{Dir: dir, URL: url}.config()
}

// New returns a store in a database that was opened with Config.
func New(database *db.DB) *Store {
	s := &Store{db: database, search: search.New(database), searches: newSearches(database.MaxSnapshots())}
	s.deleted.Store(true) // perhaps by the process before
	return s
}

// newSearches returns the limiter of searches. atOnce of them can run at a time, and at most half for one user: others
// must be able to search too.
func newSearches(atOnce int) *limit.Fair[int64] {
	return limit.NewFair[int64](limit.FairConfig{
		Slots: atOnce, SlotsPerKey: atOnce / 2,
		Queue: 32 * atOnce, QueuePerKey: 8 * atOnce,
		MaxWait: time.Second,
	})
}

// The previous release must work after a migration: replicas are upgraded one by one.
//
//go:embed migrations
var migrationFiles embed.FS

func migrations() fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic("store: no migrations are embedded: " + err.Error())
	}
	return files
}

// Schema returns the number of the newest migration of this program.
func Schema() int64 {
	number, err := db.Newest(migrations())
	if err != nil {
		panic("store: " + err.Error())
	}
	return number
}

// Measure counts database operations in m. It must be called before the first use.
func (s *Store) Measure(m *metrics.Metrics) { s.db.Measure(m.DatabaseRead, m.DatabaseWrite) }

// Indexer returns the indexer of the search index. It reads documents with documents.
func (s *Store) Indexer(documents Documents, log *slog.Logger) *search.Indexer {
	return search.NewIndexer(s.search, documents, log)
}

// Ping returns an error if the database does not respond.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Version returns the name and version of the database.
func (s *Store) Version(ctx context.Context) (string, error) { return s.db.Version(ctx) }

// Integrity returns the errors that the database finds in its files, at most a few lines.
func (s *Store) Integrity(ctx context.Context) ([]string, error) {
	found, err := s.db.Integrity(ctx)
	if err != nil {
		return nil, fmt.Errorf("check the database: %w", err)
	}
	return found, nil
}

// Close waits for running writes and closes the database.
func (s *Store) Close() error { return s.db.Close() }

// lockSession returns missing if the session is not the user's, and prevents other
// transactions from writing to it. Every write to a session's messages begins with this
// step, or with an UPDATE of the session's row.
func (s *Store) lockSession(userID int64, sessionID string, missing error) db.Step {
	return db.Require(missing, `SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2`+s.db.ForUpdate(),
		userID, sessionID).Into(new(int))
}

// requireLasting returns refusal if a session is temporary.
func requireLasting(refusal error, userID int64, sessionID string) db.Step {
	return db.Require(refusal, `SELECT 1 FROM sessions WHERE user_id = $1 AND id = $2 AND temporary = 0`,
		userID, sessionID).Into(new(int))
}

// Refused reports whether an error of a change means that nothing was changed.
func Refused(err error) bool { return db.Refused(err) }

// pageRange returns how many rows come before a page and how many are on it.
func pageRange(page parley.Page) (skip, size int64) {
	skip, ok := page.Skip()
	if !ok {
		return skip, 0
	}
	return skip, page.Size
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// hasExpired reports whether a stored end has come; 0 means no end. It checks rows that were looked up by their key. If
// the statement compared an indexed end with a parameter, SQLite would prepare it anew for each call.
func hasExpired(end int64, now time.Time) bool { return end != 0 && end <= micros(now) }

// seconds converts stored microseconds to the unit of the API.
func seconds(micros int64) int64 { return micros / 1_000_000 }
