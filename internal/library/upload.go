package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/errreader"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/id"
	"parley/internal/store"
)

// Draft is a document whose bytes are stored, but which belongs to no session yet.
// It must be attached or discarded.
type Draft struct {
	library *Library
	user    int64
	file    parley.File
}

// Receive stores the bytes of a user's document as they come. A file that is too large is
// parley.ErrFileTooLarge or, for what the user has stored already, parley.ErrStorageFull,
// without its rest being read; an error of r is returned as it is.
func (l *Library) Receive(ctx context.Context, userID int64, name string, r io.Reader) (*Draft, error) {
	room, err := l.room(ctx, userID)
	if err != nil {
		return nil, uploadError(err)
	}
	draft := &Draft{library: l, user: userID, file: parley.File{FileID: id.New(), Filename: extract.SafeName(name)}}
	if err := l.Store.AddFileIntent(ctx, draft.file.FileID, l.Now()); err != nil {
		return nil, parley.ErrFileNotStored.Because(err)
	}
	upload := &errreader.Reader{Reader: io.LimitReader(r, room.bytes+1)}
	size, err := l.Blobs.Put(ctx, draft.file.FileID, upload)
	switch {
	case upload.Err != nil:
		err = upload.Err
	case err != nil:
		err = parley.ErrFileNotStored.Because(err)
	case size > room.bytes:
		err = room.over
	}
	if err != nil {
		draft.Discard(ctx)
		return nil, err
	}
	draft.file.FileSize = size
	return draft, nil
}

// room is how large a file can be, and what is said of a larger one.
type room struct {
	bytes int64
	over  *parley.Error
}

// room is how large a file of the user can be now. With none left it is the error.
func (l *Library) room(ctx context.Context, userID int64) (room, error) {
	largest := room{l.MaxUpload, tooLarge(l.MaxUpload)}
	if l.UserStorage == 0 {
		return largest, nil
	}
	used, err := l.Store.StorageUsed(ctx, userID)
	if err != nil {
		return room{}, err
	}
	full := parley.StorageFull(used, l.UserStorage)
	switch left := l.UserStorage - used; {
	case left <= 0:
		return room{}, full
	case left < l.MaxUpload:
		return room{left, full}, nil
	}
	return largest, nil
}

// Attach reads the document's text and makes it a file of its user's session. Where
// it fails the draft is still to be discarded.
func (d *Draft) Attach(ctx context.Context, sessionID string) (parley.File, error) {
	if err := d.library.CheckSession(ctx, d.user, sessionID); err != nil {
		return parley.File{}, err
	}
	if err := d.read(ctx); err != nil {
		return parley.File{}, uploadError(err)
	}
	now := d.library.Now()
	d.file.UploadTime = now.Unix()
	err := d.library.Store.AddFile(ctx, store.NewFile{
		File: d.file, UserID: d.user, SessionID: sessionID, Now: now, UserStorage: d.library.UserStorage,
	})
	if err != nil {
		return parley.File{}, uploadError(err)
	}
	return d.file, nil
}

// Discard removes what is stored of a document that is not wanted after all. What it
// can't remove now the janitor will. Where the document has become a file although
// the database could not say so, it stays.
func (d *Draft) Discard(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	given, err := d.library.Store.GiveUpFileIntent(ctx, d.file.FileID)
	if given {
		err = d.library.erase(ctx, d.file.FileID)
	}
	if err != nil && !errors.Is(err, blob.ErrHeld) {
		d.library.Log.Error("discard an upload", "file", d.file.FileID, "error", err)
	}
}

// read finds the document's type and stores its text and the index of its passages, as
// they come.
func (d *Draft) read(ctx context.Context) error {
	bytes, err := d.library.Blobs.Get(ctx, d.file.FileID)
	if err != nil {
		return err
	}
	defer bytes.Close() //nolint:errcheck // it was only read
	text := d.library.newSink(ctx, d.file.FileID+textSuffix)
	index := d.library.newSink(ctx, d.file.FileID+indexSuffix)
	found, err := d.library.Reader.Read(ctx, sandbox.File{Name: d.file.Filename, Size: d.file.FileSize, Bytes: bytes}, text, index)
	err = index.finish(text.finish(err))
	d.file.FileType = found.Type
	return err
}

// sink stores what is written to it as a blob.
type sink struct {
	*io.PipeWriter
	stored chan error
}

func (l *Library) newSink(ctx context.Context, key string) *sink {
	r, w := io.Pipe()
	s := &sink{w, make(chan error, 1)}
	go func() {
		_, err := l.Blobs.Put(ctx, key, r)
		_ = r.CloseWithError(err) // it always works
		s.stored <- err
	}()
	return s
}

// finish ends the blob, or leaves nothing of it after an error, which it gives back.
func (s *sink) finish(err error) error {
	_ = s.CloseWithError(err) // it always works
	stored := <-s.stored
	if err != nil {
		return err
	}
	return stored
}

// uploadError is what a caller is told of a document that could not be kept.
func uploadError(err error) error {
	var known *parley.Error
	if errors.As(err, &known) {
		return err
	}
	return parley.ErrFileNotStored.Because(err)
}

func tooLarge(limit int64) *parley.Error {
	e := *parley.ErrFileTooLarge
	e.Message = fmt.Sprintf("the file is larger than the limit of %d bytes", limit)
	return &e
}
