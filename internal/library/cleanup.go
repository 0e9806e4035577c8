package library

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/store"
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

// Run removes the blobs of deleted documents and abandoned uploads until ctx ends.
func (l *Library) Run(ctx context.Context) {
	ticker := time.NewTicker(cleanupInterval)
	defer ticker.Stop()
	for {
		if err := l.cleanUp(ctx); err != nil && ctx.Err() == nil {
			l.log.Error("remove the blobs of deleted files", "error", err)
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
		stale, err := l.store.StaleFileIntents(ctx, before, cleanupBatch)
		if err != nil {
			return err
		}
		for _, intent := range stale {
			if err := l.deleteBlobs(ctx, intent); errors.Is(err, blob.ErrHeld) {
				return nil // the intents are kept for the next cleanup
			} else if err != nil {
				return err
			}
		}
		if len(stale) < cleanupBatch {
			return nil
		}
	}
}

// deleteBlobs deletes all blobs of a document, then its intent.
func (l *Library) deleteBlobs(ctx context.Context, intent store.FileIntent) error {
	var errs []error
	file := parley.File{FileID: intent.FileID, FileType: anyPicture}
	for _, key := range append(Keys(file), VectorsKey(file)) {
		errs = append(errs, l.blobs.Delete(ctx, key))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dropTimeout)
	defer cancel()
	return l.store.DropFileIntent(ctx, intent.UserID, intent.FileID)
}
