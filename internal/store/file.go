package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
)

// NewFile is a file to add to a session.
type NewFile struct {
	parley.File
	UserID    int64
	SessionID string
	Now       time.Time
	// TextSize and IndexSize are the sizes of the file's text and of its index, in bytes.
	TextSize, IndexSize int64
	// PictureSize is the size of its cleaned picture and thumbnail together; 0 if it is not a picture.
	PictureSize int64
	// UserStorage is the limit on the total size of the user's files with what was made of
	// them, in bytes; 0 means no limit.
	UserStorage int64
	// SessionFiles and SessionIndex are the limits on the number of the session's files and
	// on the total size of their indexes, in bytes; 0 means no limit.
	SessionFiles, SessionIndex int64
}

// stored returns how much the file takes of its user's storage.
func (f NewFile) stored() int64 { return f.FileSize + f.TextSize + f.IndexSize + f.PictureSize }

// AddFile turns an intent into a file of a user's session. It returns
// parley.ErrNoSuchSession if the session was deleted, parley.ErrSessionFull if it can't hold
// the file, parley.ErrStorageFull if the file exceeds the user's storage, and
// parley.ErrFileNotStored if the intent was cleaned up as too old.
func (s *Store) AddFile(ctx context.Context, file NewFile) error {
	notes, err := encodeNotes(file.Notes)
	if err != nil {
		return fmt.Errorf("add file: %w", err)
	}
	var used int64
	err = s.db.Change(ctx, slices.Concat(
		[]db.Step{s.lockSession(file.UserID, file.SessionID, parley.ErrNoSuchSession)},
		checkSession(file),
		s.checkStorage(file, &used),
		[]db.Step{
			db.Require(errCleanedUp, `DELETE FROM file_intents WHERE user_id = $1 AND id = $2 AND created_at > 0`,
				file.UserID, file.FileID),
			db.Do(`
				INSERT INTO files
				    (user_id, id, session_id, name, size, type, created_at, text_size, index_size, notes, picture_size)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
				file.UserID, file.FileID, file.SessionID, file.Filename, file.FileSize, file.FileType, micros(file.Now),
				file.TextSize, file.IndexSize, notes, file.PictureSize),
			search.EnqueueFile(file.UserID, file.FileID),
		})...)
	switch {
	case errors.Is(err, errStorageFull):
		err = parley.StorageFull(used, file.UserStorage)
	case errors.Is(err, errCleanedUp):
		err = parley.ErrFileNotStored.WithCause(err)
	}
	if err != nil {
		return fmt.Errorf("add file: %w", err)
	}
	s.search.Wake()
	return nil
}

// Reasons why a file is not added.
var (
	errStorageFull = errors.New("the user's storage is full")
	errCleanedUp   = errors.New("the upload took too long and was cleaned up")
)

// checkSession returns parley.ErrSessionFull if the session can't hold the file. The session
// is locked.
func checkSession(file NewFile) []db.Step {
	if file.SessionFiles == 0 && file.SessionIndex == 0 {
		return nil
	}
	const query = `
		SELECT 1 FROM (
			SELECT count(*) AS files, COALESCE(sum(index_size), 0) AS indexes FROM (
			    SELECT id, index_size FROM files WHERE user_id = $5 AND session_id = $1
			    UNION
			    SELECT f.id, f.index_size FROM file_links l JOIN files f ON f.user_id = $5 AND f.id = l.file_id
			    WHERE l.user_id = $5 AND l.session_id = $1) each_once
		) held
		WHERE (CAST($2 AS BIGINT) = 0 OR files < CAST($2 AS BIGINT))
		AND (CAST($3 AS BIGINT) = 0 OR indexes <= CAST($3 AS BIGINT) - CAST($4 AS BIGINT))`
	return []db.Step{
		db.Require(parley.ErrSessionFull, query,
			file.SessionID, file.SessionFiles, file.SessionIndex, file.IndexSize, file.UserID).Into(new(int)),
	}
}

// checkStorage returns errStorageFull if the file exceeds the user's storage. The user's row is locked until the
// transaction ends. Otherwise two files could exceed it together.
func (s *Store) checkStorage(file NewFile, used *int64) []db.Step {
	if file.UserStorage == 0 {
		return nil
	}
	return []db.Step{
		db.Require(parley.ErrNoSuchSession, `SELECT 1 FROM users WHERE id = $1`+s.db.ForUpdate(), file.UserID).Into(new(int)),
		db.Do(storageUsed, file.UserID).Into(used),
		db.Require(errStorageFull, `SELECT 1 WHERE (`+storageUsed+`) <= CAST($2 AS BIGINT)`,
			file.UserID, file.UserStorage-file.stored()).Into(new(int)),
	}
}

// StorageUsed returns the total size of a user's files with what was made of them, in bytes.
func (s *Store) StorageUsed(ctx context.Context, userID int64) (int64, error) {
	used, err := db.ReadOne[int64](ctx, s.db, storageUsed, userID)
	if err != nil {
		return 0, fmt.Errorf("sum up files: %w", err)
	}
	return used, nil
}

// bytesOfFiles is the total size of rows of files, with what was made of each.
const bytesOfFiles = `CAST(COALESCE(sum(size + text_size + index_size + picture_size + vectors_size), 0) AS BIGINT)`

const storageUsed = `SELECT ` + bytesOfFiles + ` FROM files WHERE user_id = $1`

const fileColumns = `id, name, size, type, created_at, notes`

func scanFile(row interface{ Scan(...any) error }) (f parley.File, err error) {
	var notes string
	if err := row.Scan(&f.FileID, &f.Filename, &f.FileSize, &f.FileType, &f.UploadTime, &notes); err != nil {
		return f, err
	}
	f.UploadTime = seconds(f.UploadTime)
	if notes != "" {
		err = json.Unmarshal([]byte(notes), &f.Notes)
	}
	return f, err
}

// encodeNotes returns the notes of a file as they are stored.
func encodeNotes(notes []string) (string, error) {
	if len(notes) == 0 {
		return "", nil
	}
	encoded, err := json.Marshal(notes)
	return string(encoded), err
}

// Files returns a session's files, oldest first.
func (s *Store) Files(ctx context.Context, userID int64, sessionID string) ([]parley.File, error) {
	files, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (parley.File, error) { return scanFile(rows) },
		`SELECT `+fileColumns+` FROM files WHERE user_id = $1 AND session_id = $2
		UNION
		SELECT `+fileColumns+` FROM files f WHERE f.user_id = $1 AND f.id IN (
		    SELECT l.file_id FROM file_links l WHERE l.user_id = $1 AND l.session_id = $2)
		ORDER BY created_at, id`, userID, sessionID)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return files, nil
}

// File returns a user's file, or parley.ErrNoSuchFile.
func (s *Store) File(ctx context.Context, userID int64, fileID string) (parley.File, error) {
	var file parley.File
	err := s.db.ReadRow(ctx, func(row *sql.Row) (err error) {
		file, err = scanFile(row)
		return err
	}, `SELECT `+fileColumns+` FROM files WHERE user_id = $1 AND id = $2`, userID, fileID)
	if errors.Is(err, sql.ErrNoRows) {
		return file, parley.ErrNoSuchFile
	}
	if err != nil {
		return file, fmt.Errorf("find file: %w", err)
	}
	return file, nil
}

// FilesAfter returns the ids, sizes and types of up to limit files of all users, in order of their ids. The ids are
// above after.
func (s *Store) FilesAfter(ctx context.Context, after string, limit int) ([]parley.File, error) {
	files, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (f parley.File, err error) {
		err = rows.Scan(&f.FileID, &f.FileSize, &f.FileType)
		return f, err
	}, `SELECT id, size, type FROM files WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return files, nil
}

// FileKnown reports whether there is a file or an intent with an id. An import announces its file, too.
func (s *Store) FileKnown(ctx context.Context, fileID string) (file, intent bool, err error) {
	var files, intents int64
	err = s.db.ReadRow(ctx, func(row *sql.Row) error { return row.Scan(&files, &intents) }, `
		SELECT (SELECT count(*) FROM files WHERE id = $1), (SELECT count(*) FROM file_intents WHERE id = $1)
		    + (SELECT count(*) FROM imports WHERE file_id = $1 AND ended_at = 0)`, fileID)
	if err != nil {
		return false, false, fmt.Errorf("find file: %w", err)
	}
	return files > 0, intents > 0, nil
}

// OwnFiles returns a session's files without those that belong to another session, oldest first.
func (s *Store) OwnFiles(ctx context.Context, userID int64, sessionID string) ([]parley.File, error) {
	files, err := db.ReadList(ctx, s.db, func(rows *sql.Rows) (parley.File, error) { return scanFile(rows) },
		`SELECT `+fileColumns+` FROM files WHERE user_id = $1 AND session_id = $2 ORDER BY created_at, id`, userID, sessionID)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return files, nil
}

// DeleteFile deletes a user's file in all sessions, or returns parley.ErrNoSuchFile. Its bytes become an intent.
func (s *Store) DeleteFile(ctx context.Context, userID int64, fileID string) error {
	steps := deleteFiles(parley.ErrNoSuchFile, `user_id = $1 AND id = $2`, userID, fileID)
	if err := s.db.Change(ctx, steps...); err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	s.search.Wake()
	s.deleted.Store(true)
	return nil
}

// deleteFiles deletes the files that meet a condition and returns missing, unless it is
// nil, if there are none. Their bytes become stale intents. The condition names the user first.
func deleteFiles(missing error, condition string, args ...any) []db.Step {
	return append(search.RemoveFiles(condition, args...),
		// Another transaction may be deleting one of the files too: one intent is enough.
		addIntents(`SELECT user_id, id, 0 FROM files WHERE `+condition, args...),
		db.Require(missing, `DELETE FROM files WHERE `+condition, args...))
}
