package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// ErrImportLost is returned if an import has ended or another process has taken it over. Nothing was changed.
var ErrImportLost = errors.New("the import is no longer ours")

// keptImports is how many of a user's imports are kept.
const keptImports = 10

// NewImport is an import to begin. Its file is an intent.
type NewImport struct {
	ID     string
	UserID int64
	FileID string
	Size   int64
	Now    time.Time
}

// AddImport stores an import. It returns parley.ErrImportOpen if the user has one that has not ended,
// parley.ErrFileNotStored if the intent was cleaned up, and parley.ErrBadToken if the account was deleted.
func (s *Store) AddImport(ctx context.Context, i NewImport) error {
	err := s.db.Change(ctx,
		db.Require(parley.ErrBadToken, `SELECT 1 FROM users WHERE id = $1`+s.db.ForKeyShare(), i.UserID).Into(new(int)),
		db.Require(errCleanedUp, `DELETE FROM file_intents WHERE user_id = $1 AND id = $2 AND created_at > 0`,
			i.UserID, i.FileID),
		db.Do(`
			DELETE FROM imports WHERE user_id = $1 AND ended_at > 0 AND id NOT IN (
			    SELECT id FROM imports k WHERE k.user_id = $1 ORDER BY k.id DESC LIMIT CAST($2 AS BIGINT))`,
			i.UserID, keptImports-1),
		db.Insert(parley.ErrImportOpen, `
			INSERT INTO imports (user_id, id, file_id, size, state, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			i.UserID, i.ID, i.FileID, i.Size, parley.ImportQueued, micros(i.Now)))
	if errors.Is(err, errCleanedUp) {
		err = parley.ErrFileNotStored.WithCause(err)
	}
	if err != nil {
		return fmt.Errorf("add import: %w", err)
	}
	return nil
}

// HasOpenImport reports whether the user has an import that has not ended.
func (s *Store) HasOpenImport(ctx context.Context, userID int64) (bool, error) {
	found, err := db.ReadOne[int](ctx, s.db,
		`SELECT count(*) FROM imports WHERE user_id = $1 AND ended_at = 0`, userID)
	if err != nil {
		return false, fmt.Errorf("find import: %w", err)
	}
	return found > 0, nil
}

// Import returns a user's import, or parley.ErrNoSuchImport.
func (s *Store) Import(ctx context.Context, userID int64, importID string) (parley.Import, error) {
	var i parley.Import
	var skipped int64
	err := s.db.Read(ctx, func(ctx context.Context, q db.Querier) error {
		err := q.QueryRowContext(ctx, `
			SELECT state, percent, sessions, messages, skipped, failure FROM imports WHERE user_id = $1 AND id = $2`,
			userID, importID).Scan(&i.State, &i.Percent, &i.Sessions, &i.Messages, &skipped, &i.Error)
		if err != nil {
			return err
		}
		i.Skipped, err = db.List(ctx, q, func(rows *sql.Rows) (skip parley.Skipped, err error) {
			err = rows.Scan(&skip.Title, &skip.Reason)
			return skip, err
		}, `SELECT title, reason FROM import_skips WHERE user_id = $1 AND import_id = $2 AND place < $3 ORDER BY place`,
			userID, importID, skipped)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return i, parley.ErrNoSuchImport
	}
	if err != nil {
		return i, fmt.Errorf("find import: %w", err)
	}
	i.More = max(0, skipped-int64(len(i.Skipped)))
	return i, nil
}

// OpenImport is an import that a process runs. A write to it succeeds only with its owner and position.
type OpenImport struct {
	UserID int64
	ID     string
	FileID string
	Size   int64
	Owner  string
	// Attempts counts how often the import was claimed since it last stored something.
	Attempts int64
	// Position is how many conversations of the file are dealt with, and Skips how many of them were skipped.
	Position, Skips int64
}

// ClaimImport gives the owner an open import: a queued one, one of an owner without a lease, or one of its own that is
// not running. It returns false if there is no such import.
func (s *Store) ClaimImport(
	ctx context.Context, owner string, running func(importID string) bool,
) (OpenImport, bool, error) {
	const candidates = 8
	open, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (i OpenImport, err error) {
		err = rows.Scan(&i.UserID, &i.ID, &i.Owner)
		return i, err
	}, `
		SELECT user_id, id, owner FROM imports
		WHERE ended_at = 0 AND (owner = $1 OR owner NOT IN (SELECT id FROM owners WHERE lease_until > `+s.db.Now()+`))
		ORDER BY attempts, created_at, id LIMIT CAST($2 AS BIGINT)`, owner, candidates)
	if err != nil {
		return OpenImport{}, false, fmt.Errorf("find open imports: %w", err)
	}
	for _, i := range open {
		if running(i.ID) {
			continue
		}
		err := s.db.Change(ctx, db.Require(ErrImportLost, `
			UPDATE imports SET owner = $3, state = $5, attempts = attempts + 1
			WHERE user_id = $1 AND id = $2 AND owner = $4 AND ended_at = 0
			RETURNING file_id, size, attempts, position, skipped`,
			i.UserID, i.ID, owner, i.Owner, parley.ImportRunning).
			Into(&i.FileID, &i.Size, &i.Attempts, &i.Position, &i.Skips))
		if errors.Is(err, ErrImportLost) { // another process was faster
			continue
		}
		if err != nil {
			return OpenImport{}, false, fmt.Errorf("claim import: %w", err)
		}
		i.Owner = owner
		return i, true, nil
	}
	return OpenImport{}, false, nil
}

// ImportProgress is how far an import has come.
type ImportProgress struct {
	Position int64
	Percent  int64
	// Skips are the conversations that were skipped since the last progress.
	Skips []parley.Skipped
}

// SaveImport stores the progress of an import, or returns ErrImportLost.
func (s *Store) SaveImport(ctx context.Context, i *OpenImport, p ImportProgress) error {
	if err := s.db.Change(ctx, progressSteps(*i, p, 0, 0)...); err != nil {
		return fmt.Errorf("save import: %w", err)
	}
	i.advance(p)
	return nil
}

func (i *OpenImport) advance(p ImportProgress) {
	i.Position = p.Position
	i.Skips += int64(len(p.Skips))
}

// progressSteps store the progress with which an import has added sessions.
func progressSteps(i OpenImport, p ImportProgress, sessions, messages int64) []db.Step {
	steps := []db.Step{db.Require(ErrImportLost, `
		UPDATE imports SET position = $5, percent = $6, skipped = skipped + $7, sessions = sessions + $8,
		    messages = messages + $9, attempts = 0
		WHERE user_id = $1 AND id = $2 AND owner = $3 AND position = $4 AND ended_at = 0`,
		i.UserID, i.ID, i.Owner, i.Position, p.Position, p.Percent, len(p.Skips), sessions, messages)}
	for n, skip := range p.Skips {
		place := i.Skips + int64(n)
		if place >= parley.MaxSkipped {
			break
		}
		steps = append(steps, db.Do(`
			INSERT INTO import_skips (user_id, import_id, place, title, reason) VALUES ($1, $2, $3, $4, $5)`,
			i.UserID, i.ID, place, skip.Title, skip.Reason))
	}
	return steps
}

// EndImport ends an import, or returns ErrImportLost. failure is why it has failed, or empty. Its file becomes a stale
// intent.
func (s *Store) EndImport(ctx context.Context, i OpenImport, p ImportProgress, failure string, now time.Time) error {
	state := parley.ImportDone
	if failure != "" {
		state = parley.ImportFailed
	}
	err := s.db.Change(ctx, append(progressSteps(i, p, 0, 0),
		db.Do(`UPDATE imports SET state = $3, failure = $4, ended_at = $5, file_id = '' WHERE user_id = $1 AND id = $2`,
			i.UserID, i.ID, state, failure, micros(now)),
		// With VALUES the statement goes to one shard. Citus takes a SELECT without a table to the coordinator.
		addIntents(`VALUES ($1, $2, 0)`, i.UserID, i.FileID))...)
	if err != nil {
		return fmt.Errorf("end import: %w", err)
	}
	return nil
}

// addIntents makes stale intents of the rows of a query or of VALUES, with columns user_id, id and 0.
func addIntents(query string, args ...any) db.Step {
	return db.Do(`INSERT INTO file_intents (user_id, id, created_at) `+query+
		` ON CONFLICT (user_id, id) DO NOTHING`, args...)
}
