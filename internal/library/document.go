package library

import (
	"context"
	"errors"
	"sync/atomic"

	"parley"
	"parley/internal/blob"
	"parley/internal/store"
)

// Documents returns the texts of all documents for the search index. An error means that a
// document could not be read.
func (l *Library) Documents() store.Documents {
	return store.Documents{Section: l.section, Anchor: l.anchor}
}

// ReadableDocuments is Documents for one search: a document that can't be read is logged and
// counts as empty. After maxFailures of the blob store, which each may take long, its error is
// returned.
func (l *Library) ReadableDocuments() store.Documents {
	var failed atomic.Int64
	tolerate := func(ctx context.Context, fileID string, err error) error {
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !isDamaged(err) {
			if failed.Add(1) >= maxFailures {
				return err
			}
		}
		l.log.Error("leave a file out of a search", "file", fileID, "error", err)
		return nil
	}
	return store.Documents{
		Section: func(ctx context.Context, fileID string, section int64) (store.Section, error) {
			read, err := l.section(ctx, fileID, section)
			return read, tolerate(ctx, fileID, err)
		},
		Anchor: func(ctx context.Context, fileID string, offset int64) (string, error) {
			anchor, err := l.anchor(ctx, fileID, offset)
			return anchor, tolerate(ctx, fileID, err)
		},
	}
}

// section reads a section of a document's text. It is empty if the document was deleted.
func (l *Library) section(ctx context.Context, fileID string, section int64) (store.Section, error) {
	r, err := l.blobs.Get(ctx, fileID+textSuffix)
	if errors.Is(err, blob.ErrNotFound) {
		return store.Section{}, nil
	}
	if err != nil {
		return store.Section{}, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	return store.ReadSection(r, section)
}

// anchor returns the page, sheet or slide of an offset in a document's text.
func (l *Library) anchor(ctx context.Context, fileID string, offset int64) (name string, err error) {
	one := l.newIndexes([]parley.File{{FileID: fileID}})
	err = one.use(ctx, 0, func(x index) error {
		anchors, err := x.readAnchors()
		name = anchors.At(int(offset))
		return err
	})
	return name, err
}
