package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/extract/history"
	"parley/internal/store"
)

const (
	// maxAttempts is how often an import is begun without storing anything, until it fails.
	maxAttempts = 5
	// Skipped conversations are recorded with the next one that is stored, or when there are maxSkips, or after
	// saveInterval.
	maxSkips     = 100
	saveInterval = 2 * time.Second
	// maxIndexing is how many texts may wait for the search index, since each search reads them. The wait for it is
	// limited: the index may be rebuilt.
	maxIndexing  = 5000
	indexingWait = 200 * time.Millisecond
	maxWaits     = 150
	// maxRest limits the pause after a session.
	maxRest = time.Second
)

// job is a running import.
type job struct {
	*Service
	open    store.OpenImport
	stored  bool // something, since it was claimed
	next    store.ImportProgress
	savedAt time.Time
}

// run reads the file to its end and ends the import. It returns an error if it should be run again.
func (j *job) run(ctx context.Context) error {
	j.next.Position, j.savedAt = j.open.Position, j.Now()
	err := j.read(ctx)
	var known *parley.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, store.ErrImportLost), errors.Is(err, parley.ErrBadToken):
		return nil // another process has it, or the account was deleted
	case err == nil:
		j.next.Percent = 100
		return j.end(ctx, "")
	case errors.Is(err, blob.ErrNotFound):
		return j.end(ctx, parley.ErrImportGone.Message)
	case errors.Is(err, history.ErrBroken) && j.next.Position > 0:
		return j.end(ctx, parley.BrokenAfter(j.next.Position).Message)
	case errors.As(err, &known):
		return j.end(ctx, known.Message)
	case j.open.Attempts >= maxAttempts && !j.stored:
		return errors.Join(err, j.end(ctx, parley.ErrImportStopped.Message))
	}
	return err
}

func (j *job) end(ctx context.Context, failure string) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := j.Store.EndImport(ctx, j.open, j.next, failure, j.Now())
	if errors.Is(err, store.ErrImportLost) {
		return nil
	}
	j.Library.TriggerCleanup()
	return err
}

func (j *job) read(ctx context.Context) error {
	bytes, err := j.Blobs.Get(ctx, j.open.FileID)
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	defer bytes.Close() //nolint:errcheck // it was only read
	return j.Reader.ReadHistory(ctx, j.export(bytes, j.open.Size), j.open.Position,
		func(entry history.Entry) error { return j.take(ctx, entry) })
}

// take stores a conversation or records why it was skipped.
func (j *job) take(ctx context.Context, entry history.Entry) error {
	j.next.Position++
	j.next.Percent = int64(entry.Percent)
	if entry.Skipped != nil {
		return j.skip(ctx, entry.Title, entry.Skipped)
	}
	begun := j.Now()
	err := j.store(ctx, entry.Conversation)
	if errors.Is(err, parley.ErrImportedBefore) {
		return j.skip(ctx, titleOf(entry.Conversation), parley.ErrImportedBefore)
	}
	if err != nil {
		return err
	}
	j.saved()
	return j.rest(ctx, j.Now().Sub(begun))
}

// store stores a conversation as a session, or returns parley.ErrImportedBefore.
func (j *job) store(ctx context.Context, c history.Conversation) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	session := newSession(c, j.KnowsModel, j.Now())
	found, err := j.Store.HasImported(ctx, j.open.UserID, session.Digest)
	if err == nil && !found {
		found, err = j.isHere(ctx, c)
	}
	if err != nil {
		return err
	}
	if found {
		return parley.ErrImportedBefore
	}
	next := j.next
	if without := parley.ImportedWithout(c.Left.Pictures, c.Left.Others); without != nil {
		next.Skips = append(slices.Clone(next.Skips), parley.Skipped{Title: session.Title, Reason: without.Message})
	}
	return j.Store.AddImported(ctx, &j.open, next, session)
}

func (j *job) skip(ctx context.Context, title string, reason *parley.Error) error {
	j.next.Skips = append(j.next.Skips, parley.Skipped{Title: title, Reason: reason.Message})
	if len(j.next.Skips) < maxSkips && j.Now().Sub(j.savedAt) < saveInterval {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := j.Store.SaveImport(ctx, &j.open, j.next); err != nil {
		return err
	}
	j.saved()
	return nil
}

func (j *job) saved() {
	j.stored, j.savedAt, j.next.Skips = true, j.Now(), nil
}

// rest pauses for as long as the last session took, and while many texts wait for the search index. So an import takes
// at most a half of what the database can do.
func (j *job) rest(ctx context.Context, took time.Duration) error {
	if err := sleep(ctx, min(took, maxRest)); err != nil {
		return err
	}
	for range maxWaits {
		busy, err := j.Store.IsIndexing(ctx, j.open.UserID, maxIndexing)
		if err != nil || !busy {
			return err
		}
		if err := sleep(ctx, indexingWait); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
