// Package library stores uploaded documents and selects the passages that fit a question.
//
// A document is a row and three blobs: its bytes, its text, and an index of the text's
// passages. A picture has two more: itself, cleaned, and a thumbnail. They are created once, at upload.
// With an embeddings server, the vectors of the passages are made later, in the background.
package library

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/embed"
	"parley/internal/extract/sandbox"
	"parley/internal/id"
	"parley/internal/limit"
	"parley/internal/metrics"
	"parley/internal/store"
)

// Suffixes of the keys of what is made of a document. The key of its bytes has none.
const (
	textSuffix      = ".text"
	indexSuffix     = ".index"
	pictureSuffix   = ".picture"
	thumbnailSuffix = ".thumbnail"
	vectorsSuffix   = ".vectors"
)

// Keys returns the keys of a document's blobs, in order: its bytes, its index, its text, and if it is a picture, the
// cleaned one and its thumbnail.
func Keys(file parley.File) []string {
	suffixes := []string{"", indexSuffix, textSuffix}
	if isPicture(file) {
		suffixes = []string{"", indexSuffix, pictureSuffix, textSuffix, thumbnailSuffix}
	}
	keys := make([]string, 0, len(suffixes))
	for _, suffix := range suffixes {
		keys = append(keys, file.FileID+suffix)
	}
	return keys
}

// VectorsKey returns the key of the vectors of a document's passages. It comes after those of Keys. There may be none:
// they can be made again.
func VectorsKey(file parley.File) string { return file.FileID + vectorsSuffix }

// Config holds the dependencies and settings of a Library.
type Config struct {
	Store *store.Store
	Blobs blob.Store
	Log   *slog.Logger
	// Reader reads documents. Use a sandbox.Pool for uploads of untrusted users.
	Reader Reader
	// MaxUpload is the largest upload, in bytes.
	MaxUpload int64
	// UserStorage is the limit on the total size of one user's files with what was made of
	// them, in bytes; 0 means no limit.
	UserStorage int64
	// Readers is how many documents are read at once, and SmallReaders how many small plain
	// texts in addition; 0 means no limit.
	Readers, SmallReaders int
	// Recognize reads the text in a picture of a user's document, as a PNG. If it is nil, scanned
	// pages and pictures are not read. See sandbox.Recognition for its errors.
	Recognize func(ctx context.Context, userID int64, picture []byte) (string, error)
	// RecognizedBy names the model behind Recognize, for the notes of files. It is empty if Recognize uses no model.
	// ScanPixels limits the pictures of pages, in pixels; 0 is the most that Tesseract takes.
	RecognizedBy string
	ScanPixels   int
	// Scanners is how many documents are read at once that need Recognize, and ScanPages how many
	// pages of each are recognized.
	Scanners, ScanPages int
	// Embeddings returns what makes vectors now, to find passages by their meaning too, or nil. It may be nil.
	Embeddings func() *embed.Client
	// Usage counts the tokens of Embeddings. If it is nil, they are not counted.
	Usage Usage
	// Metrics may be nil.
	Metrics *metrics.Metrics
	// Now is the clock.
	Now func() time.Time
}

// Usage counts the tokens of users.
type Usage interface {
	// HasTokens reports whether a user's quota of tokens is not used up.
	HasTokens(ctx context.Context, userID int64) (bool, error)
	// AddTokens counts tokens of a model.
	AddTokens(ctx context.Context, userID int64, model string, used parley.Usage) error
}

// Reader reads the text of a document and indexes its passages with Index.
type Reader interface {
	Read(ctx context.Context, file sandbox.File, text, index io.Writer) (sandbox.Summary, error)
}

// Library manages the documents of one server.
type Library struct {
	store                 *store.Store
	blobs                 blob.Store
	log                   *slog.Logger
	reader                Reader
	maxUpload             int64
	userStorage           int64
	now                   func() time.Time
	recognize             func(ctx context.Context, userID int64, picture []byte) (string, error)
	recognizedBy          string
	scanPages, scanPixels int
	readers, smallReaders *limit.Fair[int64] // by user
	scanners              *limit.Fair[int64]
	// Limits of a session.
	sessionFiles, sessionIndex int64

	usage      Usage // may be nil
	questioner questioner
	metrics    *metrics.Metrics

	cleanup chan struct{} // triggers Run
	cleaned string        // the id of the last intent that an unfinished cleanup has come to
	added   chan struct{} // triggers RunEmbedder
}

// New returns a Library.
func New(config Config) *Library {
	l := &Library{
		store:       config.Store,
		blobs:       config.Blobs,
		log:         config.Log,
		reader:      config.Reader,
		maxUpload:   config.MaxUpload,
		userStorage: config.UserStorage,
		now:         config.Now,

		readers:      newTurns(config.Readers),
		smallReaders: newTurns(config.SmallReaders),
		scanners:     newTurns(config.Scanners),
		recognize:    config.Recognize,
		recognizedBy: config.RecognizedBy,
		scanPages:    config.ScanPages,
		scanPixels:   config.ScanPixels,
		sessionFiles: parley.MaxSessionFiles,
		sessionIndex: parley.MaxSessionIndex,

		usage:   config.Usage,
		metrics: config.Metrics,
		cleanup: make(chan struct{}, 1),
		added:   make(chan struct{}, 1),
	}
	l.questioner.client, l.questioner.time = config.Embeddings, questionTime
	if config.Embeddings == nil {
		l.questioner.client = func() *embed.Client { return nil }
	}
	if l.metrics == nil {
		l.metrics = metrics.New()
	}
	return l
}

// Files lists the documents of a user's session, oldest first.
func (l *Library) Files(ctx context.Context, userID int64, sessionID string) ([]parley.File, error) {
	if err := l.CheckSession(ctx, userID, sessionID); err != nil {
		return nil, err
	}
	return l.store.Files(ctx, userID, sessionID)
}

// CheckSession returns parley.ErrNoSuchSession unless the session belongs to the user.
func (l *Library) CheckSession(ctx context.Context, userID int64, sessionID string) error {
	if !id.Valid(sessionID) {
		return parley.ErrNoSuchSession
	}
	_, err := l.store.Session(ctx, userID, sessionID)
	return err
}

// Open opens the bytes of a user's document. The caller must close them.
func (l *Library) Open(ctx context.Context, userID int64, fileID string) (parley.File, io.ReadSeekCloser, error) {
	if !id.Valid(fileID) {
		return parley.File{}, nil, parley.ErrNoSuchFile
	}
	file, err := l.store.File(ctx, userID, fileID)
	if err != nil {
		return file, nil, err
	}
	bytes, err := l.blobs.Get(ctx, fileID)
	if errors.Is(err, blob.ErrNotFound) { // deleted since the row was read
		return file, nil, parley.ErrNoSuchFile
	}
	return file, bytes, err
}

// OwnFiles lists the documents of a user's session without those that belong to the session that it was forked from.
func (l *Library) OwnFiles(ctx context.Context, userID int64, sessionID string) ([]parley.File, error) {
	if err := l.CheckSession(ctx, userID, sessionID); err != nil {
		return nil, err
	}
	return l.store.OwnFiles(ctx, userID, sessionID)
}

// Delete deletes a user's document.
func (l *Library) Delete(ctx context.Context, userID int64, fileID string) error {
	if !id.Valid(fileID) {
		return parley.ErrNoSuchFile
	}
	if err := l.store.DeleteFile(ctx, userID, fileID); err != nil {
		return err
	}
	l.TriggerCleanup()
	return nil
}

// DeleteOf removes a document from a user's session, and deletes it if no other session has it.
func (l *Library) DeleteOf(ctx context.Context, userID int64, sessionID, fileID string) error {
	if !id.Valid(sessionID) || !id.Valid(fileID) {
		return parley.ErrNoSuchFile
	}
	if err := l.store.DeleteFileOf(ctx, userID, sessionID, fileID); err != nil {
		return err
	}
	l.TriggerCleanup()
	return nil
}
