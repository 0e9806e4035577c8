package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"parley/internal/db"
)

// FileKey names a file.
type FileKey struct {
	UserID int64
	FileID string
}

// FilesWithoutVectors returns up to limit files that are due and have no vectors, or vectors made by something else
// than made. Those without any come first.
func (s *Store) FilesWithoutVectors(ctx context.Context, made string, now time.Time, limit int) ([]FileKey, error) {
	var files []FileKey
	for _, query := range []string{ // an index has both ranges, but not their union
		`SELECT user_id, id FROM files WHERE vectors < $1 AND vectors_due <= $2
		ORDER BY vectors, vectors_due LIMIT CAST($3 AS BIGINT)`,
		`SELECT user_id, id FROM files WHERE vectors > $1 AND vectors_due <= $2
		ORDER BY vectors, vectors_due LIMIT CAST($3 AS BIGINT)`,
	} {
		found, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (f FileKey, err error) {
			err = rows.Scan(&f.UserID, &f.FileID)
			return f, err
		}, query, made, micros(now), limit-len(files))
		if err != nil {
			return nil, fmt.Errorf("list files without vectors: %w", err)
		}
		if files = append(files, found...); len(files) >= limit {
			break
		}
	}
	return files, nil
}

// CountFilesWithoutVectors returns how many files of all users have text, but no vectors made by made, and how many
// files have text.
func (s *Store) CountFilesWithoutVectors(ctx context.Context, made string) (without, all int64, err error) {
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&without, &all) }, `
		SELECT CAST(COALESCE(sum(CASE WHEN vectors = $1 THEN 0 ELSE 1 END), 0) AS BIGINT), count(*)
		FROM files WHERE text_size > 0`, made)
	if err != nil {
		return 0, 0, fmt.Errorf("count files without vectors: %w", err)
	}
	return without, all, nil
}

// ClaimVectors lets the caller make the vectors of a file until a time. It returns false if another process does so, or
// has done so, or the file was deleted.
func (s *Store) ClaimVectors(ctx context.Context, file FileKey, made string, now, until time.Time) (bool, error) {
	claimed, err := s.db.ChangeOne(ctx, `
		UPDATE files SET vectors_due = $5
		WHERE user_id = $1 AND id = $2 AND vectors <> $3 AND vectors_due <= $4`,
		file.UserID, file.FileID, made, micros(now), micros(until))
	if err != nil {
		return false, fmt.Errorf("claim a file without vectors: %w", err)
	}
	return claimed, nil
}

// DelayVectors sets the earliest time for the vectors of a file to be made.
func (s *Store) DelayVectors(ctx context.Context, file FileKey, until time.Time) error {
	err := s.db.Change(ctx, db.Do(`UPDATE files SET vectors_due = $3 WHERE user_id = $1 AND id = $2`,
		file.UserID, file.FileID, micros(until)))
	if err != nil {
		return fmt.Errorf("delay the vectors of a file: %w", err)
	}
	return nil
}

// SetVectors stores by what a file's vectors were made, and their size. It returns false if the file was deleted.
func (s *Store) SetVectors(ctx context.Context, file FileKey, made string, size int64) (bool, error) {
	found, err := s.db.ChangeOne(ctx, `
		UPDATE files SET vectors = $3, vectors_size = $4, vectors_due = 0 WHERE user_id = $1 AND id = $2`,
		file.UserID, file.FileID, made, size)
	if err != nil {
		return false, fmt.Errorf("store the vectors of a file: %w", err)
	}
	return found, nil
}
