package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley"
	"parley/internal/db"
)

// AddFileIntent stores that the bytes of a file are about to be written. After a crash they can be cleaned up.
func (s *Store) AddFileIntent(ctx context.Context, userID int64, fileID string, now time.Time) error {
	err := s.db.Change(ctx, db.Do(`INSERT INTO file_intents (user_id, id, created_at) VALUES ($1, $2, $3)`,
		userID, fileID, micros(now)))
	if err != nil {
		return fmt.Errorf("add file intent: %w", err)
	}
	return nil
}

// DropFileIntent deletes an intent after its bytes were deleted.
func (s *Store) DropFileIntent(ctx context.Context, userID int64, fileID string) error {
	err := s.db.Change(ctx, db.Do(`DELETE FROM file_intents WHERE user_id = $1 AND id = $2`, userID, fileID))
	if err != nil {
		return fmt.Errorf("drop file intent: %w", err)
	}
	return nil
}

// RenewFileIntent sets the time of an intent, which keeps a long upload from being cleaned up. It returns
// parley.ErrFileNotStored if the intent was given up or is gone.
func (s *Store) RenewFileIntent(ctx context.Context, userID int64, fileID string, now time.Time) error {
	found, err := s.db.ChangeOne(ctx,
		`UPDATE file_intents SET created_at = $3 WHERE user_id = $1 AND id = $2 AND created_at > 0`,
		userID, fileID, micros(now))
	if err == nil && !found {
		err = parley.ErrFileNotStored.WithCause(errCleanedUp)
	}
	if err != nil {
		return fmt.Errorf("renew file intent: %w", err)
	}
	return nil
}

// GiveUpFileIntent prevents an intent from becoming a file. Then its bytes can be deleted. If the intent is gone it
// makes one, for bytes that were written later. It returns false if the intent has become a file, or the file of an
// import, already.
func (s *Store) GiveUpFileIntent(ctx context.Context, userID int64, fileID string) (bool, error) {
	given := false
	err := s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		// This waits until a concurrent AddFile is committed. The next statement sees its file.
		n, err := db.Exec(ctx, q, `UPDATE file_intents SET created_at = 0 WHERE user_id = $1 AND id = $2`, userID, fileID)
		if err != nil || n > 0 {
			given = n > 0
			return err
		}
		var files int64
		err = q.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM files WHERE user_id = $1 AND id = $2)
			    + (SELECT count(*) FROM imports WHERE user_id = $1 AND file_id = $2 AND ended_at = 0)`,
			userID, fileID).Scan(&files)
		if err != nil || files > 0 {
			given = false
			return err
		}
		n, err = db.Exec(ctx, q, `
			INSERT INTO file_intents (user_id, id, created_at) VALUES ($1, $2, 0)
			ON CONFLICT (user_id, id) DO NOTHING`, userID, fileID)
		given = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("give up file: %w", err)
	}
	return given, nil
}

// FileIntent is the name of bytes without a file.
type FileIntent struct {
	UserID int64
	FileID string
}

// StaleFileIntents returns up to limit intents from before the given time, in the order of their file ids from after
// one on. They can no longer become files, so their bytes can be deleted.
func (s *Store) StaleFileIntents(
	ctx context.Context, before time.Time, after string, limit int,
) ([]FileIntent, error) {
	old, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (i FileIntent, err error) {
		err = rows.Scan(&i.UserID, &i.FileID)
		return i, err
	}, `
		SELECT user_id, id FROM file_intents WHERE created_at < $1 AND id > $2
		ORDER BY id LIMIT CAST($3 AS BIGINT)`, micros(before), after, limit)
	if err != nil {
		return nil, fmt.Errorf("list file intents: %w", err)
	}
	if len(old) == 0 {
		return nil, nil
	}
	var stale []FileIntent
	err = s.db.Write(ctx, func(ctx context.Context, q db.Querier) error {
		stale = nil
		given, steps := make([]string, len(old)), make([]db.Step, len(old))
		for i, intent := range old { // it may have been renewed, or become a file
			steps[i] = db.Do(`
				UPDATE file_intents SET created_at = 0 WHERE user_id = $1 AND id = $2 AND created_at < $3 RETURNING id`,
				intent.UserID, intent.FileID, micros(before)).Into(&given[i])
		}
		err := s.db.RunSteps(ctx, q, steps)
		for i, intent := range old {
			if given[i] != "" {
				stale = append(stale, intent)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("give up file intents: %w", err)
	}
	return stale, nil
}
