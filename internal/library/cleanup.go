package library

import (
	"context"
	"errors"
	"io"
	"time"

	"parley/internal/blob"
)

// IntentLife is the age of abandoned uploads. The intent of a running one is renewed.
const IntentLife = time.Hour

const (
	cleanupInterval = 10 * time.Minute
	cleanupBatch    = 100
	// dropTimeout bounds the removal of one intent.
	dropTimeout = time.Minute
)

// TriggerCleanup makes Run clean up now instead of at its next interval.
func (l *Library) TriggerCleanup() {
	select {
	case l.cleanup <- struct{}{}:
	default:
	}
}

// Run removes the blobs of deleted documents and abandoned uploads until ctx ends. It also
// counts the documents that an earlier release has added.
func (l *Library) Run(ctx context.Context) {
	ticker := time.NewTicker(cleanupInterval)
	defer ticker.Stop()
	for {
		if err := l.cleanUp(ctx); err != nil && ctx.Err() == nil {
			l.log.Error("remove the blobs of deleted files", "error", err)
		}
		if err := l.countFiles(ctx); err != nil && ctx.Err() == nil {
			l.log.Error("count the text and index of files", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-l.cleanup:
		}
	}
}

func (l *Library) cleanUp(ctx context.Context) error {
	before := l.now().Add(-IntentLife)
	if err := l.blobs.Sweep(ctx, before); err != nil {
		return err
	}
	for {
		ids, err := l.store.StaleFileIntents(ctx, before, cleanupBatch)
		if err != nil {
			return err
		}
		for _, fileID := range ids {
			if err := l.deleteBlobs(ctx, fileID); errors.Is(err, blob.ErrHeld) {
				return nil // the intents are kept for the next cleanup
			} else if err != nil {
				return err
			}
		}
		if len(ids) < cleanupBatch {
			return nil
		}
	}
}

// deleteBlobs deletes all blobs of a document, then its intent.
func (l *Library) deleteBlobs(ctx context.Context, fileID string) error {
	var errs []error
	for _, key := range Keys(fileID) {
		errs = append(errs, l.blobs.Delete(ctx, key))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dropTimeout)
	defer cancel()
	return l.store.DropFileIntent(ctx, fileID)
}

// countFiles stores the sizes of the texts and indexes of documents that an earlier release
// has added, possibly on another replica that still runs it. Documents whose blobs can't be
// read are left to the next call.
func (l *Library) countFiles(ctx context.Context) error {
	var unread error // the last one
	for after := ""; ; {
		ids, err := l.store.UncountedFiles(ctx, after, cleanupBatch)
		if err != nil {
			return err
		}
		failed := 0
		for _, fileID := range ids {
			if err := l.countFile(ctx, fileID); err != nil {
				unread = err
				failed++
			}
			after = fileID
		}
		if len(ids) < cleanupBatch || failed == len(ids) || ctx.Err() != nil {
			return unread
		}
	}
}

func (l *Library) countFile(ctx context.Context, fileID string) error {
	text, err := l.blobSize(ctx, fileID+textSuffix)
	if err != nil {
		return err
	}
	index, err := l.blobSize(ctx, fileID+indexSuffix)
	if err != nil {
		return err
	}
	return l.store.CountFile(ctx, fileID, text, index)
}

// blobSize returns the size of a blob, or 0 if there is none.
func (l *Library) blobSize(ctx context.Context, key string) (int64, error) {
	r, err := l.blobs.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	return r.Seek(0, io.SeekEnd)
}
