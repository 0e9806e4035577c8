// Package blob keeps bytes under generated keys: documents, their texts, their indexes.
package blob

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrNotFound says that nothing is kept under a key.
var ErrNotFound = errors.New("blob: not found")

// Store keeps blobs. A key is an id, or an id with a suffix such as "text" behind a
// dot; any other is ErrBadKey. Several processes may share what a store keeps.
type Store interface {
	// Put keeps all that r gives under key, in place of what was there, and returns its
	// size. When it returns nil the bytes are safe and every Get sees all of them.
	// Where r fails, with its error wrapped, or ctx ends, nothing new is kept.
	Put(ctx context.Context, key string, r io.Reader) (int64, error)
	// Get opens what is kept under key; ErrNotFound where there is nothing. The caller
	// closes it; until then it can be read, also after ctx has ended.
	Get(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Delete removes what is kept under key, for good when it returns nil. Where there
	// is nothing it does nothing. ErrHeld says that it has to be tried again later.
	Delete(ctx context.Context, key string) error
	// Sweep removes what a crash left behind of Puts that last wrote before the given
	// time. A Put under way, of any process, is left alone.
	Sweep(ctx context.Context, before time.Time) error
	// Close releases what the store holds.
	Close() error
	// String says where blobs are kept, without any secret.
	String() string
}

var (
	_ Store = (*Dir)(nil)
	_ Store = (*S3)(nil)
)

// Open opens the folder at dir or, where a URL is given, the S3 bucket that it names;
// dir then holds uploads on their way to the bucket.
func Open(ctx context.Context, dir, url string) (Store, error) {
	if url != "" {
		return OpenS3(ctx, url, dir)
	}
	return OpenDir(dir)
}
