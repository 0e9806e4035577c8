package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/id"
	"parley/internal/store"
)

// Draft is a document that belongs to no session yet, although its bytes are stored. It must be attached, released or
// discarded.
type Draft struct {
	// Progress, if not nil, is called before each page that takes long to read.
	Progress func(sandbox.Progress)

	library *Library
	userID  int64
	file    parley.File
	bytes   io.ReadSeekCloser // nil if they could not be stored
	// Sizes of the text, the index and the cleaned picture, once they are stored.
	textSize, indexSize, pictureSize int64
	renewed                          time.Time // of the intent
	scans                            bool      // it has pages that must be recognized
	recognized                       int       // pages
}

// Receive stores the bytes of a user's document as they arrive. If it is too large it returns
// parley.ErrFileTooLarge or parley.ErrStorageFull without reading the rest. An error of r is
// returned unchanged.
func (l *Library) Receive(ctx context.Context, userID int64, name string, r io.Reader) (*Draft, error) {
	limit, err := l.uploadLimit(ctx, userID)
	if err != nil {
		return nil, uploadError(err)
	}
	return l.receive(ctx, userID, name, r, limit)
}

// ReceiveUpTo is Receive for a file that becomes no document. Its size is limited by maxSize only.
func (l *Library) ReceiveUpTo(
	ctx context.Context, userID int64, name string, r io.Reader, maxSize int64,
) (*Draft, error) {
	return l.receive(ctx, userID, name, r, uploadLimit{maxSize, tooLarge(maxSize)})
}

func (l *Library) receive(
	ctx context.Context, userID int64, name string, r io.Reader, limit uploadLimit,
) (*Draft, error) {
	now := l.now()
	draft := &Draft{
		library: l,
		userID:  userID,
		file:    parley.File{FileID: id.New(), Filename: extract.SafeName(name)},
		renewed: now,
	}
	if err := l.store.AddFileIntent(ctx, userID, draft.file.FileID, now); err != nil {
		return nil, parley.ErrFileNotStored.WithCause(err)
	}
	upload := draft.renewing(ctx, io.LimitReader(r, limit.bytes+1))
	var err error
	draft.bytes, draft.file.FileSize, err = l.blobs.Keep(ctx, draft.file.FileID, upload)
	switch {
	case upload.err != nil:
		err = upload.err
	case err != nil:
		err = parley.ErrFileNotStored.WithCause(err)
	case draft.file.FileSize > limit.bytes:
		err = limit.err
	}
	if err != nil {
		draft.Discard(ctx)
		return nil, err
	}
	return draft, nil
}

// File returns the id and the size of the stored bytes.
func (d *Draft) File() parley.File { return d.file }

// Bytes returns the stored bytes. They can be read until the draft is attached, released or discarded.
func (d *Draft) Bytes() io.ReadSeeker { return d.bytes }

// Release leaves the stored bytes to somebody else.
func (d *Draft) Release() {
	if d.bytes != nil {
		_ = d.bytes.Close() // they were only read
	}
}

// uploadLimit is the largest size of an upload and the error for a larger one.
type uploadLimit struct {
	bytes int64
	err   *parley.Error
}

// uploadLimit returns the current limit for a user. If the user's storage is full it returns
// parley.ErrStorageFull.
func (l *Library) uploadLimit(ctx context.Context, userID int64) (uploadLimit, error) {
	largest := uploadLimit{l.maxUpload, tooLarge(l.maxUpload)}
	if l.userStorage == 0 {
		return largest, nil
	}
	used, err := l.store.StorageUsed(ctx, userID)
	if err != nil {
		return uploadLimit{}, err
	}
	full := parley.StorageFull(used, l.userStorage)
	switch left := l.userStorage - used; {
	case left <= 0:
		return uploadLimit{}, full
	case left < l.maxUpload:
		return uploadLimit{left, full}, nil
	}
	return largest, nil
}

// Attach reads the document's text and adds it to a session of its user. If it fails the
// draft must still be discarded.
func (d *Draft) Attach(ctx context.Context, sessionID string) (parley.File, error) {
	if err := d.library.CheckSession(ctx, d.userID, sessionID); err != nil {
		return parley.File{}, err
	}
	if err := d.renew(ctx); err != nil {
		return parley.File{}, uploadError(err)
	}
	if err := d.extract(ctx); err != nil {
		return parley.File{}, uploadError(err)
	}
	now := d.library.now()
	d.file.UploadTime = now.Unix()
	err := d.library.store.AddFile(ctx, store.NewFile{
		File: d.file, UserID: d.userID, SessionID: sessionID, Now: now,
		TextSize: d.textSize, IndexSize: d.indexSize, PictureSize: d.pictureSize, UserStorage: d.library.userStorage,
		SessionFiles: d.library.sessionFiles, SessionIndex: d.library.sessionIndex,
	})
	if err != nil {
		return parley.File{}, uploadError(err)
	}
	d.Release()
	d.library.announceAdded()
	return d.file, nil
}

// Discard deletes the blobs of a draft. Blobs that it can't delete now are left to Run. If
// Attach succeeded in the database although it returned an error, the document is kept.
func (d *Draft) Discard(ctx context.Context) {
	d.Release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	abandoned, err := d.library.store.GiveUpFileIntent(ctx, d.userID, d.file.FileID)
	if abandoned {
		err = d.library.deleteBlobs(ctx, store.FileIntent{UserID: d.userID, FileID: d.file.FileID})
	}
	if err != nil && !errors.Is(err, blob.ErrHeld) {
		d.library.log.Error("discard an upload", "file", d.file.FileID, "error", err)
	}
}

// renewEvery is how often the intent of an upload is renewed. Several attempts may fail.
const renewEvery = IntentLife / 6

// renew renews the draft's intent if it is time. It returns parley.ErrFileNotStored if the intent was given up.
func (d *Draft) renew(ctx context.Context) error {
	now := d.library.now()
	if now.Sub(d.renewed) < renewEvery {
		return nil
	}
	d.renewed = now // also after a failure, which must not make every read wait
	err := d.library.store.RenewFileIntent(ctx, d.userID, d.file.FileID, now)
	if err != nil && !errors.Is(err, parley.ErrFileNotStored) {
		d.library.log.Error("renew the intent of an upload", "file", d.file.FileID, "error", err)
		return nil
	}
	return err
}

// renewing returns a reader of r that renews the draft's intent while r is read. It is not
// renewed while nothing arrives: a few bytes have to arrive in every hour.
func (d *Draft) renewing(ctx context.Context, r io.Reader) *renewingReader {
	return &renewingReader{ctx: ctx, draft: d, r: r}
}

type renewingReader struct {
	ctx   context.Context
	draft *Draft
	r     io.Reader
	// err is the error of a read, if it is not io.EOF. It tells read errors from write errors.
	err error
}

func (r *renewingReader) Read(p []byte) (int, error) {
	if err := r.draft.renew(r.ctx); err != nil {
		r.err = err
		return 0, err
	}
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// extract detects the document's type and stores its text and index as they arrive. A document with
// pages that have to be recognized is read again when it is its turn for that.
func (d *Draft) extract(ctx context.Context) error {
	err := d.read(ctx, d.notScanning())
	if errors.Is(err, errScan) {
		err = d.read(ctx, d.scanning())
	}
	return err
}

func (d *Draft) read(ctx context.Context, recognition *sandbox.Recognition) error {
	if _, err := d.bytes.Seek(0, io.SeekStart); err != nil {
		return err
	}
	file := sandbox.File{
		Name: d.file.Filename, Size: d.file.FileSize, Bytes: d.renewing(ctx, d.bytes), Recognition: recognition,
	}
	release, err := d.awaitTurn(ctx, &file)
	if err != nil {
		return err
	}
	defer release()
	text := d.library.newBlobWriter(ctx, d.file.FileID+textSuffix)
	index := d.library.newBlobWriter(ctx, d.file.FileID+indexSuffix)
	summary, err := d.library.reader.Read(ctx, file, text, index)
	err = index.closeWith(text.closeWith(err))
	d.file.FileType, d.textSize, d.indexSize = summary.Type, text.size, index.size
	d.file.Notes = d.noteModel(summary.Notes)
	if err != nil || summary.Picture == nil {
		return err
	}
	return d.storePicture(ctx, *summary.Picture)
}

// blobWriter stores what is written to it as a blob.
type blobWriter struct {
	*io.PipeWriter
	stored chan error
	size   int64 // of the blob, after closeWith
}

func (l *Library) newBlobWriter(ctx context.Context, key string) *blobWriter {
	r, w := io.Pipe()
	b := &blobWriter{PipeWriter: w, stored: make(chan error, 1)}
	go func() {
		var err error
		b.size, err = l.blobs.Put(ctx, key, r)
		_ = r.CloseWithError(err) // never fails
		b.stored <- err
	}()
	return b
}

// closeWith completes the blob, or discards it if err is not nil. It returns err or the error
// of storing the blob.
func (b *blobWriter) closeWith(err error) error {
	_ = b.CloseWithError(err) // never fails
	stored := <-b.stored
	if err != nil {
		return err
	}
	return stored
}

// uploadError returns err if it is a parley.Error, else parley.ErrFileNotStored because of it.
func uploadError(err error) error {
	var known *parley.Error
	if errors.As(err, &known) {
		return err
	}
	return parley.ErrFileNotStored.WithCause(err)
}

func tooLarge(limit int64) *parley.Error {
	return parley.ErrFileTooLarge.Case(fmt.Sprintf("the file is larger than the limit of %s", parley.FormatSize(limit)))
}
