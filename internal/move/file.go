package move

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"parley/internal/blob"
	"parley/internal/library"
)

const (
	// filesAtOnce is how many documents one query reads.
	filesAtOnce = 500
	// copiers is how many blobs are copied at once. It hides the latency of a bucket.
	copiers = 4
)

// item is a blob to copy, and the document or import that it belongs to. An optional one may be missing.
type item struct {
	key, owner string
	optional   bool
}

// copyFiles copies the blobs of all documents and of open imports, unless the target has them, and compares each with
// what the target returns.
func (m *mover) copyFiles(ctx context.Context) error {
	if m.newFiles == nil {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	items := make(chan item)
	var (
		mu      sync.Mutex // guards the report
		workers sync.WaitGroup
	)
	for range copiers {
		workers.Go(func() {
			for one := range items {
				size, err := m.copyFile(ctx, one.key)
				mu.Lock()
				switch {
				case errors.Is(err, blob.ErrNotFound) && one.optional:
				case errors.Is(err, blob.ErrNotFound):
					m.report.Missing = append(m.report.Missing, one.owner)
				case err != nil:
					cancel(fmt.Errorf("copy the file %s: %w", one.key, err))
				default:
					m.report.Files, m.report.Bytes = m.report.Files+1, m.report.Bytes+size
					m.Progress(fmt.Sprintf("%d files copied and compared", m.report.Files))
				}
				mu.Unlock()
			}
		})
	}
	err := m.listFiles(ctx, func(one item) error {
		select {
		case items <- one:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(items)
	workers.Wait()
	slices.Sort(m.report.Missing)
	m.report.Missing = slices.Compact(m.report.Missing)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// listFiles calls each with all blobs.
func (m *mover) listFiles(ctx context.Context, each func(item) error) error {
	for after := ""; ; {
		files, err := m.database.FilesAfter(ctx, after, filesAtOnce)
		if err != nil {
			return err
		}
		for _, file := range files {
			for _, key := range library.Keys(file) {
				if err := each(item{key: key, owner: file.FileID}); err != nil {
					return err
				}
			}
			vectors := item{key: library.VectorsKey(file), owner: file.FileID, optional: true}
			if err := each(vectors); err != nil {
				return err
			}
			after = file.FileID
		}
		if len(files) < filesAtOnce {
			break
		}
	}
	imports, err := m.database.OpenImportFiles(ctx)
	if err != nil {
		return err
	}
	for _, key := range imports {
		if err := each(item{key: key, owner: key}); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a blob unless the target has it, and returns its size, or blob.ErrNotFound.
func (m *mover) copyFile(ctx context.Context, key string) (int64, error) {
	here, _, err := digestOf(ctx, m.newFiles, key)
	if errors.Is(err, blob.ErrNotFound) {
		return m.putFile(ctx, key)
	}
	if err != nil {
		return 0, err
	}
	there, size, err := digestOf(ctx, m.files, key)
	if err != nil || here == there {
		return size, err
	}
	return m.putFile(ctx, key)
}

// putFile copies a blob and compares the copy with it.
func (m *mover) putFile(ctx context.Context, key string) (size int64, err error) {
	bytes, err := m.files.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	defer bytes.Close() //nolint:errcheck // it was only read
	there := sha256.New()
	if size, err = m.newFiles.Put(ctx, key, io.TeeReader(bytes, there)); err != nil {
		return 0, err
	}
	here, _, err := digestOf(ctx, m.newFiles, key)
	if errors.Is(err, blob.ErrNotFound) || err == nil && here != [sha256.Size]byte(there.Sum(nil)) {
		return 0, errors.New("the copy is not the same")
	}
	return size, err
}

// digestOf reads a blob.
func digestOf(ctx context.Context, files blob.Store, key string) (digest [sha256.Size]byte, size int64, err error) {
	bytes, err := files.Get(ctx, key)
	if err != nil {
		return digest, 0, err
	}
	defer bytes.Close() //nolint:errcheck // it was only read
	hash := sha256.New()
	size, err = io.Copy(hash, blob.UntilDone(ctx, bytes))
	hash.Sum(digest[:0])
	return digest, size, err
}
