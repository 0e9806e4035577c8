package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
)

// AddFileIntent announces bytes before they are written, so that a crash can't
// leave bytes that nobody knows of.
func (s *Store) AddFileIntent(ctx context.Context, fileID string, now time.Time) error {
	err := s.change(ctx, do(`INSERT INTO file_intents (id, created_at) VALUES ($1, $2)`, fileID, micros(now)))
	if err != nil {
		return fmt.Errorf("announce file: %w", err)
	}
	return nil
}

// DropFileIntent forgets an intent whose bytes are gone.
func (s *Store) DropFileIntent(ctx context.Context, fileID string) error {
	err := s.change(ctx, do(`DELETE FROM file_intents WHERE id = $1`, fileID))
	if err != nil {
		return fmt.Errorf("drop file intent: %w", err)
	}
	return nil
}

// GiveUpFileIntent makes sure that an intent can't become a file any more, so that its
// bytes can go. It says no where it is a file already.
func (s *Store) GiveUpFileIntent(ctx context.Context, fileID string) (bool, error) {
	found, err := s.changed(ctx, `UPDATE file_intents SET created_at = 0 WHERE id = $1`, fileID)
	if err != nil {
		return false, fmt.Errorf("give up file: %w", err)
	}
	return found, nil
}

// StaleFileIntents lists the ids of up to most intents from before the given time.
// None of them can become a file any more, so that their bytes can go.
func (s *Store) StaleFileIntents(ctx context.Context, before time.Time, most int) ([]string, error) {
	var ids []string
	err := s.write(ctx, func(ctx context.Context, q querier) (err error) {
		ids, err = list(ctx, q, scanOne[string], `
			UPDATE file_intents SET created_at = 0
			WHERE id IN (SELECT id FROM file_intents WHERE created_at < $1 ORDER BY id LIMIT CAST($2 AS BIGINT)) AND created_at < $1
			RETURNING id`, micros(before), most)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list file intents: %w", err)
	}
	return ids, nil
}

// NewFile is a file to be added to a session.
type NewFile struct {
	parley.File
	UserID    int64
	SessionID string
	Now       time.Time
	// UserStorage is the most that the user's files may take together, in bytes; 0 is no limit.
	UserStorage int64
}

// AddFile turns an intent into a file of a user's session. A session that is gone is
// parley.ErrNoSuchSession, a file that does not fit the user's storage parley.ErrStorageFull;
// an intent that is gone was cleaned up as too old.
func (s *Store) AddFile(ctx context.Context, file NewFile) error {
	var used int64
	err := s.change(ctx, slices.Concat(
		[]step{s.lockSession(file.UserID, file.SessionID)},
		s.checkStorage(file, &used),
		[]step{
			must(errCleanedUp, `DELETE FROM file_intents WHERE id = $1 AND created_at > 0`, file.FileID),
			do(`INSERT INTO files (id, user_id, session_id, name, size, type, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
				file.FileID, file.UserID, file.SessionID, file.Filename, file.FileSize, file.FileType, micros(file.Now)),
		})...)
	switch {
	case errors.Is(err, errStorageFull):
		err = parley.StorageFull(used, file.UserStorage)
	case errors.Is(err, errCleanedUp):
		err = parley.ErrFileNotStored.Because(err)
	}
	if err != nil {
		return fmt.Errorf("add file: %w", err)
	}
	return nil
}

// Why a file is not added.
var (
	errStorageFull = errors.New("the user's storage is full")
	errCleanedUp   = errors.New("the upload took too long and was cleaned up")
)

// checkStorage makes sure that the file fits the user's storage beside what is used, else
// errStorageFull. The user's row is locked until the transaction ends, so that of two
// files that fit only alone one is refused.
func (s *Store) checkStorage(file NewFile, used *int64) []step {
	if file.UserStorage == 0 {
		return nil
	}
	return []step{
		must(parley.ErrNoSuchSession, `SELECT 1 FROM users WHERE id = $1`+s.forUpdate(), file.UserID).into(new(int)),
		do(storageUsed, file.UserID).into(used),
		must(errStorageFull, `SELECT 1 WHERE (`+storageUsed+`) <= CAST($2 AS BIGINT)`, file.UserID, file.UserStorage-file.FileSize).into(new(int)),
	}
}

// StorageUsed is how many bytes a user's files take together.
func (s *Store) StorageUsed(ctx context.Context, userID int64) (used int64, err error) {
	if err := s.readRow(ctx, func(row *sql.Row) error { return row.Scan(&used) }, storageUsed, userID); err != nil {
		return 0, fmt.Errorf("sum up files: %w", err)
	}
	return used, nil
}

const storageUsed = `SELECT CAST(COALESCE(sum(size), 0) AS BIGINT) FROM files WHERE user_id = $1`

const fileColumns = `id, name, size, type, created_at`

func scanFile(row interface{ Scan(...any) error }) (f parley.File, err error) {
	err = row.Scan(&f.FileID, &f.Filename, &f.FileSize, &f.FileType, &f.UploadTime)
	f.UploadTime = seconds(f.UploadTime)
	return f, err
}

// Files lists a session's files, oldest first.
func (s *Store) Files(ctx context.Context, sessionID string) ([]parley.File, error) {
	files, err := readList(ctx, s, func(rows *sql.Rows) (parley.File, error) { return scanFile(rows) },
		`SELECT `+fileColumns+` FROM files WHERE session_id = $1 ORDER BY created_at, id`, sessionID)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return files, nil
}

// File finds a user's file, else parley.ErrNoSuchFile.
func (s *Store) File(ctx context.Context, userID int64, fileID string) (parley.File, error) {
	var file parley.File
	err := s.readRow(ctx, func(row *sql.Row) (err error) {
		file, err = scanFile(row)
		return err
	}, `SELECT `+fileColumns+` FROM files WHERE id = $1 AND user_id = $2`, fileID, userID)
	if errors.Is(err, sql.ErrNoRows) {
		return file, parley.ErrNoSuchFile
	}
	if err != nil {
		return file, fmt.Errorf("find file: %w", err)
	}
	return file, nil
}

// FilesAfter lists up to most files of all users whose ids are above after, in order:
// their ids and sizes.
func (s *Store) FilesAfter(ctx context.Context, after string, most int) ([]parley.File, error) {
	files, err := readList(ctx, s, func(rows *sql.Rows) (f parley.File, err error) {
		err = rows.Scan(&f.FileID, &f.FileSize)
		return f, err
	}, `SELECT id, size FROM files WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)`, after, most)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return files, nil
}

// FileKnown reports whether there is a file of this id, or an intent.
func (s *Store) FileKnown(ctx context.Context, fileID string) (file, intent bool, err error) {
	var files, intents int64
	err = s.readRow(ctx, func(row *sql.Row) error { return row.Scan(&files, &intents) }, `
		SELECT (SELECT count(*) FROM files WHERE id = $1), (SELECT count(*) FROM file_intents WHERE id = $1)`, fileID)
	if err != nil {
		return false, false, fmt.Errorf("find file: %w", err)
	}
	return files > 0, intents > 0, nil
}

// DeleteFile removes a user's file, else parley.ErrNoSuchFile. Its bytes are left as an intent.
func (s *Store) DeleteFile(ctx context.Context, userID int64, fileID string) error {
	steps := abandonFiles(`id = $1 AND user_id = $2`, fileID, userID)
	steps[len(steps)-1].none = parley.ErrNoSuchFile
	if err := s.change(ctx, steps...); err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	return nil
}

// abandonFiles removes the files that the condition names, and leaves their bytes as
// intents from long ago, for the janitor to delete.
func abandonFiles(condition string, args ...any) []step {
	return []step{
		// Another transaction may be deleting one of the files too: one intent is enough.
		do(`INSERT INTO file_intents (id, created_at) SELECT id, 0 FROM files WHERE `+condition+` ON CONFLICT (id) DO NOTHING`, args...),
		do(`DELETE FROM files WHERE `+condition, args...),
	}
}
