package library

import (
	"context"
	"errors"
	"time"

	"parley/internal/blob"
)

// IntentLife is how long an upload under way may take, which announces itself by an
// intent. One this old has been given up.
const IntentLife = time.Hour

const (
	tidyEvery = 10 * time.Minute
	tidyBatch = 100
)

// Tidy asks the janitor to look at once.
func (l *Library) Tidy() {
	select {
	case l.untidy <- struct{}{}:
	default:
	}
}

// Run removes the bytes of deleted documents, and what crashes have left of uploads,
// until ctx ends.
func (l *Library) Run(ctx context.Context) {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for {
		if err := l.sweep(ctx); err != nil && ctx.Err() == nil {
			l.Log.Error("remove the bytes of deleted files", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-l.untidy:
		}
	}
}

func (l *Library) sweep(ctx context.Context) error {
	before := l.Now().Add(-IntentLife)
	if err := l.Blobs.Sweep(ctx, before); err != nil {
		return err
	}
	for {
		ids, err := l.Store.StaleFileIntents(ctx, before, tidyBatch)
		if err != nil {
			return err
		}
		for _, fileID := range ids {
			if err := l.erase(ctx, fileID); errors.Is(err, blob.ErrHeld) {
				return nil // the intents stay for a later look
			} else if err != nil {
				return err
			}
		}
		if len(ids) < tidyBatch {
			return nil
		}
	}
}

// erase removes all blobs of a document, then the intent that announced them.
func (l *Library) erase(ctx context.Context, fileID string) error {
	var errs []error
	for _, key := range Keys(fileID) {
		errs = append(errs, l.Blobs.Delete(ctx, key))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return l.Store.DropFileIntent(ctx, fileID)
}
