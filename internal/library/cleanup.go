package library

import (
	"context"
	"errors"
	"fmt"
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

// cleanUp removes stale files, in the order of the ids. Files that it can't remove are left to the next cleanup and
// counted in the error. If it can't remove any file of a whole batch, the store is down: cleanUp ends, and the next one
// goes on behind that batch.
func (l *Library) cleanUp(ctx context.Context) error {
	before := l.now().Add(-IntentLife)
	errSweep := l.blobs.Sweep(ctx, before)
	left, errFirst := 0, error(nil)
	for {
		stale, err := l.store.StaleFileIntents(ctx, before, l.cleaned, cleanupBatch)
		if err != nil {
			return errors.Join(errSweep, err)
		}
		failed, err := l.deleteAll(ctx, stale)
		if left += failed; errFirst == nil {
			errFirst = err
		}
		if len(stale) < cleanupBatch || errors.Is(err, blob.ErrHeld) {
			l.cleaned = ""
			break
		}
		if l.cleaned = stale[len(stale)-1].FileID; failed == len(stale) || ctx.Err() != nil {
			break
		}
	}
	if left == 0 {
		return errSweep
	}
	return errors.Join(errSweep, fmt.Errorf("%d files are left, the first because of: %w", left, errFirst))
}

// deleteAll deletes the blobs of intents. It returns how many it could not delete, with the first error. It stops if
// the store is held for a backup.
func (l *Library) deleteAll(ctx context.Context, intents []store.FileIntent) (failed int, first error) {
	for _, intent := range intents {
		err := l.deleteBlobs(ctx, intent)
		if errors.Is(err, blob.ErrHeld) {
			return failed, errors.Join(first, err)
		}
		if err != nil {
			if failed++; first == nil {
				first = err
			}
		}
	}
	return failed, first
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
