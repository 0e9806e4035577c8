package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/minio/minio-go/v7"
)

// A reader fetches a window of bytes at a time: a small one first, larger ones while it is
// read on, also where less than half of the largest is left out. So looking at a few bytes
// costs little, and reading all of a large blob, or many pieces of it in order, few
// requests and no more memory than the largest window.
const (
	firstWindow = 64 << 10
	mostWindow  = 1 << 20
)

var (
	errReplaced = errors.New("the blob was replaced or deleted while it was read")
	errBroken   = errors.New("the answer broke off")
)

// s3Reader reads one object, which must stay the same meanwhile.
type s3Reader struct {
	store  *S3
	ctx    context.Context // of its own: it outlives the one of Get
	path   string
	piece  piece
	start  int64 // where the piece begins
	offset int64 // of the next byte to be read
	closed bool
}

// piece is some bytes of an object, and what came with them.
type piece struct {
	bytes []byte
	size  int64 // of the whole object
	etag  string
}

// Get is Store's: it fetches the first bytes at once. Reading on in an object that is
// replaced or deleted meanwhile fails.
func (s *S3) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	at, err := place(key)
	if err != nil {
		return nil, err
	}
	r := &s3Reader{store: s, ctx: context.WithoutCancel(ctx), path: s.prefix + at.path}
	r.piece, err = s.fetch(ctx, r.path, piece{}, 0, firstWindow)
	if isNotFound(err) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	return r, nil
}

// Read gives what is left of the window, or some of the next one.
func (r *s3Reader) Read(p []byte) (int, error) {
	switch {
	case r.closed:
		return 0, os.ErrClosed
	case len(p) == 0:
		return 0, nil
	case r.offset >= r.piece.size:
		return 0, io.EOF
	}
	if end := r.start + int64(len(r.piece.bytes)); r.offset < r.start || r.offset >= end {
		window := firstWindow
		if r.offset >= end && r.offset-end <= mostWindow/2 {
			window = min(max(firstWindow, 2*len(r.piece.bytes)), mostWindow)
		}
		if err := r.move(window); err != nil {
			return 0, fmt.Errorf("read blob: %w", err)
		}
	}
	n := copy(p, r.piece.bytes[r.offset-r.start:])
	r.offset += int64(n)
	return n, nil
}

// move fetches the window that begins with the next byte to be read.
func (r *s3Reader) move(window int) error {
	next, err := r.store.fetch(r.ctx, r.path, r.piece, r.offset, window)
	if err != nil {
		r.piece.bytes = nil // overwritten in part
		var answer minio.ErrorResponse
		if isNotFound(err) || errors.As(err, &answer) && answer.StatusCode == http.StatusPreconditionFailed {
			return errReplaced
		}
		return err
	}
	r.piece, r.start = next, r.offset
	return nil
}

// Seek asks the store nothing. As in a file, the end may be passed.
func (r *s3Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.piece.size
	default:
		return 0, os.ErrInvalid
	}
	if r.closed {
		return 0, os.ErrClosed
	}
	if offset < 0 {
		return 0, os.ErrInvalid
	}
	r.offset = offset
	return offset, nil
}

// Close lets go of the window; between reads there is nothing else.
func (r *s3Reader) Close() error {
	if r.closed {
		return os.ErrClosed
	}
	r.closed, r.piece.bytes = true, nil
	return nil
}

// fetch reads a window of an object into the memory of the piece before, of the same
// object. An answer that breaks off is asked for again.
func (s *S3) fetch(ctx context.Context, path string, before piece, offset int64, window int) (piece, error) {
	ctx, cancel := context.WithTimeout(ctx, s3CallTime)
	defer cancel()
	for attempt := 1; ; attempt++ {
		next, err := s.fetchOnce(ctx, path, before, offset, window)
		if !errors.Is(err, errBroken) || attempt == s3Attempts || ctx.Err() != nil {
			return next, err
		}
	}
}

func (s *S3) fetchOnce(ctx context.Context, path string, before piece, offset int64, window int) (piece, error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+int64(window)-1); err != nil {
		return piece{}, err
	}
	if before.etag != "" {
		if err := options.SetMatchETag(before.etag); err != nil {
			return piece{}, err
		}
	}
	body, info, header, err := s.client.GetObject(ctx, s.bucket, path, options)
	var answer minio.ErrorResponse
	if offset == 0 && errors.As(err, &answer) && answer.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return piece{}, nil // the object is empty
	}
	if err != nil {
		return piece{}, err
	}
	defer body.Close()
	size, err := wholeSize(header.Get("Content-Range"), info.Size, offset)
	if err != nil {
		return piece{}, err
	}
	length := int(min(int64(window), size-offset))
	bytes := slices.Grow(before.bytes[:0], length)[:length]
	if _, err := io.ReadFull(body, bytes); err != nil {
		return piece{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	return piece{bytes: bytes, size: size, etag: info.ETag}, nil
}

// wholeSize reads an object's size from the header of an answer that begins at offset.
// A server may leave out the header and send everything.
func wholeSize(contentRange string, length, offset int64) (int64, error) {
	if contentRange == "" && offset == 0 && length >= 0 {
		return length, nil
	}
	var first, last, size int64
	_, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &first, &last, &size)
	if err != nil || first != offset || last < first || last >= size {
		return 0, fmt.Errorf("the store answered with the range %q instead of one that begins at %d", contentRange, offset)
	}
	return size, nil
}
