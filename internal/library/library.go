// Package library keeps uploaded documents and chooses the passages that fit a question.
//
// A document is three blobs beside its row: its bytes, its text, and an index of the
// text's passages. The last two are made once, at upload.
package library

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract/sandbox"
	"parley/internal/id"
	"parley/internal/store"
)

// Suffixes of the blobs that stand beside a document's bytes.
const (
	textSuffix  = ".text"
	indexSuffix = ".index"
)

// Keys are those of a document's blobs, in order: its bytes, its index, its text.
func Keys(fileID string) []string {
	return []string{fileID, fileID + indexSuffix, fileID + textSuffix}
}

// Config is where documents are kept, and which.
type Config struct {
	Store *store.Store
	Blobs blob.Store
	Log   *slog.Logger
	// Reader reads documents: a sandbox.Pool, where anybody can upload.
	Reader Reader
	// MaxUpload is the largest file taken, in bytes.
	MaxUpload int64
	// UserStorage is the most that one user's files may take together, in bytes; 0 is no limit.
	UserStorage int64
	// Now is the clock.
	Now func() time.Time
}

// Library is the documents of one server.
type Library struct {
	Config
	untidy chan struct{} // wakes the janitor
}

// Reader reads the text of documents, and makes the index of their passages with Index.
type Reader interface {
	Read(ctx context.Context, file sandbox.File, text, index io.Writer) (sandbox.Summary, error)
}

// New returns the documents kept in a store.
func New(config Config) *Library {
	return &Library{Config: config, untidy: make(chan struct{}, 1)}
}

// Files lists the documents of a user's session, oldest first.
func (l *Library) Files(ctx context.Context, userID int64, sessionID string) ([]parley.File, error) {
	if err := l.CheckSession(ctx, userID, sessionID); err != nil {
		return nil, err
	}
	return l.Store.Files(ctx, sessionID)
}

// CheckSession makes sure that the session is the user's, else parley.ErrNoSuchSession.
func (l *Library) CheckSession(ctx context.Context, userID int64, sessionID string) error {
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	_, err := l.Store.Session(ctx, userID, sessionID)
	return err
}

// Open opens the bytes of a user's document. The caller closes them.
func (l *Library) Open(ctx context.Context, userID int64, fileID string) (parley.File, io.ReadSeekCloser, error) {
	if !id.Valid(fileID) {
		return parley.File{}, nil, parley.ErrNoSuchFile
	}
	file, err := l.Store.File(ctx, userID, fileID)
	if err != nil {
		return file, nil, err
	}
	bytes, err := l.Blobs.Get(ctx, fileID)
	if errors.Is(err, blob.ErrNotFound) { // deleted between the two look-ups
		return file, nil, parley.ErrNoSuchFile
	}
	return file, bytes, err
}

// Delete removes a user's document.
func (l *Library) Delete(ctx context.Context, userID int64, fileID string) error {
	if !id.Valid(fileID) {
		return parley.ErrNoSuchFile
	}
	if err := l.Store.DeleteFile(ctx, userID, fileID); err != nil {
		return err
	}
	l.Tidy()
	return nil
}
