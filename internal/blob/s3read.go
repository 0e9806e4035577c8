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

// A reader fetches one window of bytes at a time. The window starts small and doubles while the
// blob is read forward, with gaps of at most half the largest window. So reading a few bytes is
// cheap, and reading a large blob, or many parts of it in order, takes few requests and at most
// the memory of the largest window.
const (
	firstWindow = 64 << 10
	maxWindow   = 1 << 20
)

var (
	errReplaced = errors.New("the blob was replaced or deleted while it was read")
	errCutOff   = errors.New("the response was cut off")
)

// s3Reader reads one object. It fails if the object is replaced or deleted.
type s3Reader struct {
	store  *S3
	ctx    context.Context // not canceled with the context of Get
	path   string
	window window
	start  int64 // offset of the window
	offset int64 // of the next byte to read
	closed bool
}

// window is a range of an object's bytes, with the object's size and ETag.
type window struct {
	bytes []byte
	size  int64 // of the object
	etag  string
}

// Get implements Store. It fetches the first window. Reading an object fails once it is replaced
// or deleted.
func (s *S3) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	loc, err := locate(key)
	if err != nil {
		return nil, err
	}
	r := &s3Reader{store: s, ctx: context.WithoutCancel(ctx), path: s.prefix + loc.path}
	r.window, err = s.fetch(ctx, r.path, window{}, 0, firstWindow)
	if isNotFound(err) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	return r, nil
}

// Read returns bytes of the current window, or of the next one at its end.
func (r *s3Reader) Read(p []byte) (int, error) {
	switch {
	case r.closed:
		return 0, os.ErrClosed
	case len(p) == 0:
		return 0, nil
	case r.offset >= r.window.size:
		return 0, io.EOF
	}
	if end := r.start + int64(len(r.window.bytes)); r.offset < r.start || r.offset >= end {
		size := firstWindow
		if r.offset >= end && r.offset-end <= maxWindow/2 {
			size = min(max(firstWindow, 2*len(r.window.bytes)), maxWindow)
		}
		if err := r.fetchWindow(size); err != nil {
			return 0, fmt.Errorf("read blob: %w", err)
		}
	}
	n := copy(p, r.window.bytes[r.offset-r.start:])
	r.offset += int64(n)
	return n, nil
}

// fetchWindow fetches the window that starts at the offset.
func (r *s3Reader) fetchWindow(size int) error {
	next, err := r.store.fetch(r.ctx, r.path, r.window, r.offset, size)
	if err != nil {
		r.window.bytes = nil // partly overwritten
		var response minio.ErrorResponse
		if isNotFound(err) || errors.As(err, &response) && response.StatusCode == http.StatusPreconditionFailed {
			return errReplaced
		}
		return err
	}
	r.window, r.start = next, r.offset
	return nil
}

// Seek makes no request. As in a file, the offset may be past the end.
func (r *s3Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.window.size
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

// Close releases the window. There is no open connection between reads.
func (r *s3Reader) Close() error {
	if r.closed {
		return os.ErrClosed
	}
	r.closed, r.window.bytes = true, nil
	return nil
}

// fetch reads a window of an object. It reuses the memory of the previous window and requires
// its ETag. It retries if the response is cut off.
func (s *S3) fetch(ctx context.Context, path string, previous window, offset int64, size int) (window, error) {
	ctx, cancel := context.WithTimeout(ctx, s3CallTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		next, err := s.fetchOnce(ctx, path, previous, offset, size)
		if !errors.Is(err, errCutOff) || attempt == s3Attempts || ctx.Err() != nil {
			return next, err
		}
	}
}

func (s *S3) fetchOnce(ctx context.Context, path string, previous window, offset int64, size int) (window, error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+int64(size)-1); err != nil {
		return window{}, err
	}
	if previous.etag != "" {
		if err := options.SetMatchETag(previous.etag); err != nil {
			return window{}, err
		}
	}
	body, info, header, err := s.client.GetObject(ctx, s.bucket, path, options)
	var response minio.ErrorResponse
	if offset == 0 && errors.As(err, &response) && response.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return window{}, nil // the object is empty
	}
	if err != nil {
		return window{}, err
	}
	defer body.Close()
	total, err := objectSize(header.Get("Content-Range"), info.Size, offset)
	if err != nil {
		return window{}, err
	}
	length := int(min(int64(size), total-offset))
	bytes := slices.Grow(previous.bytes[:0], length)[:length]
	if _, err := io.ReadFull(body, bytes); err != nil {
		return window{}, fmt.Errorf("%w: %w", errCutOff, err)
	}
	return window{bytes: bytes, size: total, etag: info.ETag}, nil
}

// objectSize returns the size of an object from the Content-Range of a response that starts at
// offset. A server may ignore the range and send the whole object without the header.
func objectSize(contentRange string, length, offset int64) (int64, error) {
	if contentRange == "" && offset == 0 && length >= 0 {
		return length, nil
	}
	var first, last, size int64
	_, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &first, &last, &size)
	if err != nil || first != offset || last < first || last >= size {
		return 0, fmt.Errorf("the store sent the range %q instead of one that starts at %d", contentRange, offset)
	}
	return size, nil
}
