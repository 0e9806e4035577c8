// Package blob stores bytes under generated keys, in a folder or an S3 bucket.
package blob

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrNotFound means that there is no blob with the key.
var ErrNotFound = errors.New("blob: not found")

// Store stores blobs. A key is an id, optionally with a suffix such as ".text"; with any
// other key methods return ErrBadKey. Several processes may share the blobs.
type Store interface {
	// Put stores the bytes of r, replacing any blob with the same key, and returns their
	// number. When it returns nil they are durable and visible to every Get. If r fails, its
	// error is wrapped. After an error nothing is changed.
	Put(ctx context.Context, key string, r io.Reader) (int64, error)
	// Keep is Put for bytes that are needed again at once: it also returns them, at their beginning, without
	// fetching them from another machine. The caller must close them. After an error the blob may exist.
	Keep(ctx context.Context, key string, r io.Reader) (io.ReadSeekCloser, int64, error)
	// Get opens a blob, or returns ErrNotFound. The caller must close it. It can be read
	// after ctx has ended.
	Get(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Delete deletes a blob durably. It is not an error if there is none. If blobs can't be
	// deleted now it returns ErrHeld.
	Delete(ctx context.Context, key string) error
	// Sweep removes the remains of Puts that were interrupted by a crash and last wrote
	// before the given time. It does not disturb running Puts of any process.
	Sweep(ctx context.Context, before time.Time) error
	// Close releases the store's resources.
	Close() error
	// String describes where blobs are stored, without secrets.
	String() string
}

var (
	_ Store = (*Dir)(nil)
	_ Store = (*S3)(nil)
)

// Open opens the folder at dir or, if url is not empty, the S3 bucket that it names. With a
// bucket, dir holds uploads until they are sent. It returns an error if blobs are being moved from or to that place, or
// were moved from it.
func Open(ctx context.Context, dir, url string) (Store, error) {
	place, err := OpenPlace(ctx, dir, url)
	if err != nil {
		return nil, err
	}
	if err := checkMark(ctx, place); err != nil {
		return nil, errors.Join(err, place.Close())
	}
	return place, nil
}
