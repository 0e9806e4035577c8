package library

import (
	"bytes"
	"context"
	"errors"
	"io"

	"parley"
	"parley/internal/blob"
)

// Small indexes are read once and stay in memory while a question is answered.
const (
	smallIndex = 256 << 10
	maxSmall   = 8 << 20 // all of them together
)

// indexes opens the indexes of documents, one at a time.
type indexes struct {
	blobs  blob.Store
	files  []parley.File
	small  map[int]index // by position in files
	room   int64         // for small indexes
	blocks blocks
}

func (l *Library) newIndexes(files []parley.File) *indexes {
	return &indexes{blobs: l.blobs, files: files, small: make(map[int]index), room: maxSmall}
}

// use calls do with the index of a document, unless it is empty or the document was deleted.
// The index is valid until do returns.
func (s *indexes) use(ctx context.Context, i int, do func(index) error) error {
	if x, ok := s.small[i]; ok {
		return do(x)
	}
	r, err := s.blobs.Get(ctx, s.files[i].FileID+indexSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	if size <= min(smallIndex, s.room) {
		return s.useSmall(i, r, size, do)
	}
	s.blocks.reset(r)
	x, err := openIndex(&s.blocks, size)
	if err != nil {
		return err
	}
	return do(x)
}

// useSmall is use for an index that stays in memory.
func (s *indexes) useSmall(i int, r io.ReadSeeker, size int64, do func(index) error) error {
	data := make([]byte, size)
	if err := readFullAt(r, data, 0); err != nil {
		return err
	}
	x, err := openIndex(bytes.NewReader(data), size)
	if err != nil {
		return err
	}
	s.small[i] = x
	s.room -= size
	return do(x)
}

func readFullAt(r io.ReadSeeker, p []byte, offset int64) error {
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	_, err := io.ReadFull(r, p)
	return err
}
