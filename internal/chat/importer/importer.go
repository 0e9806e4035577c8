// Package importer imports conversations from files that other services, or this one, have exported.
//
// A file is stored first. A worker then reads it in a child process, one conversation after the other. Each one is
// stored in one transaction with the import's progress. An interrupted import continues from there, in this process or
// another.
package importer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract/history"
	"parley/internal/extract/sandbox"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/store"
)

// Config configures a Service.
type Config struct {
	Store   *store.Store
	Blobs   blob.Store
	Library *library.Library
	Log     *slog.Logger
	// Reader reads exports. Use a sandbox.Pool for those of untrusted users.
	Reader Reader
	// Owner has the lease of this process.
	Owner string
	// KnowsModel reports whether a name is that of a model on offer. Others are not kept.
	KnowsModel func(name string) bool
	// MaxSize is the largest file, in bytes.
	MaxSize int64
	Now     func() time.Time
}

// Reader reads exports.
type Reader interface {
	CheckHistory(ctx context.Context, file sandbox.History) error
	ReadHistory(ctx context.Context, file sandbox.History, skip int64, do func(history.Entry) error) error
}

// Service manages the imports of one server.
type Service struct {
	Config
	wake chan struct{} // triggers a worker

	mu      sync.Mutex // held while an import is claimed
	running map[string]bool
}

// New returns a Service.
func New(config Config) *Service {
	return &Service{Config: config, wake: make(chan struct{}, 1), running: map[string]bool{}}
}

// Receive stores the bytes of a file as they arrive. If it is too large, Receive returns parley.ErrFileTooLarge without
// reading the rest. If the user has an import that has not ended, it returns parley.ErrImportOpen and reads nothing.
// The result must be started or discarded.
func (s *Service) Receive(ctx context.Context, userID int64, name string, r io.Reader) (*library.Draft, error) {
	open, err := s.Store.HasOpenImport(ctx, userID)
	if err != nil {
		return nil, err
	}
	if open {
		return nil, parley.ErrImportOpen
	}
	return s.Library.ReceiveUpTo(ctx, userID, name, r, s.MaxSize)
}

// Start begins to import a file. It returns parley.ErrFormatUnsupported or parley.ErrFileUnreadable if it can't be
// imported, and parley.ErrImportOpen if the user has an import that has not ended. After an error the draft must be
// discarded.
func (s *Service) Start(ctx context.Context, userID int64, draft *library.Draft) (string, error) {
	if err := s.check(ctx, draft); err != nil {
		return "", err
	}
	file := draft.File()
	made := store.NewImport{ID: id.New(), UserID: userID, FileID: file.FileID, Size: file.FileSize, Now: s.Now()}
	if err := s.Store.AddImport(ctx, made); err != nil {
		return "", err
	}
	draft.Release()
	s.trigger()
	return made.ID, nil
}

// check returns an error unless the file is an export.
func (s *Service) check(ctx context.Context, draft *library.Draft) error {
	err := s.Reader.CheckHistory(ctx, s.export(draft.Bytes(), draft.File().FileSize))
	var known *parley.Error
	if err != nil && !errors.As(err, &known) {
		return parley.ErrFileNotStored.WithCause(err)
	}
	return err
}

// export returns what a reader needs. The JSON of an archive may be several times as large as it.
func (s *Service) export(bytes io.ReadSeeker, size int64) sandbox.History {
	const unpackedFactor = 16
	return sandbox.History{Bytes: bytes, Size: size, MaxUnpacked: unpackedFactor * s.MaxSize}
}

// Import returns a user's import, or parley.ErrNoSuchImport.
func (s *Service) Import(ctx context.Context, userID int64, importID string) (parley.Import, error) {
	if !id.Valid(importID) {
		return parley.Import{}, parley.ErrNoSuchImport
	}
	return s.Store.Import(ctx, userID, importID)
}

// trigger makes a worker look for an import now.
func (s *Service) trigger() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
