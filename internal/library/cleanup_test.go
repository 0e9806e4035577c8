package library

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/internal/blob"
	"parley/internal/id"
	"parley/internal/store/storetest"
)

// stubbornBlobs does not delete some keys, and counts the attempts to delete any.
type stubbornBlobs struct {
	blob.Store
	keys    []string
	deletes int
}

func (b *stubbornBlobs) Delete(ctx context.Context, key string) error {
	if b.deletes++; slices.Contains(b.keys, key) {
		return errors.New("the object is locked")
	}
	return b.Store.Delete(ctx, key)
}

// stubborn makes the library's store refuse to delete some keys.
func (s *shelf) stubborn(keys ...string) *stubbornBlobs {
	blobs := &stubbornBlobs{Store: s.blobs, keys: keys}
	s.blobs = blobs
	return blobs
}

// leaves runs a cleanup that must leave a number of files and say so.
func (s *shelf) leaves(says string) {
	s.t.Helper()
	err := s.cleanUp(s.t.Context())
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		s.t.Errorf("the cleanup says %v, want %q", err, says)
	}
}

func TestABlobThatCannotBeDeletedStopsNoOther(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s := newShelf(t, url, "")
		first, second, last := s.upload("a.txt", "first"), s.upload("b.txt", "second"), s.upload("c.txt", "last")
		for _, file := range []string{first.FileID, second.FileID, last.FileID} {
			s.must(s.Delete(t.Context(), s.user, file))
		}
		blobs := s.stubborn(first.FileID+textSuffix, second.FileID)
		for range 2 { // those that are left are tried again
			s.leaves("2 files are left, the first because of: the object is locked")
			if s.kept() != 2 || s.announced() != 2 {
				t.Errorf("%d blobs and %d intents are left", s.kept(), s.announced())
			}
		}
		blobs.keys = nil
		s.must(s.cleanUp(t.Context()))
		s.nothing()
	})
}

// TestABatchThatCannotBeDeletedStarvesNoOther has more files that can't be deleted than one query returns.
func TestABatchThatCannotBeDeletedStarvesNoOther(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s := newShelf(t, url, "")
		blobs := s.stubborn()
		add := func() (fileID string) {
			fileID = id.New()
			s.must(s.store.AddFileIntent(t.Context(), s.user, fileID, s.now.Add(-2*IntentLife)))
			return fileID
		}
		for range cleanupBatch {
			blobs.keys = append(blobs.keys, add())
		}
		add()
		s.leaves("100 files are left")
		if most := 6 * cleanupBatch; blobs.deletes > most {
			t.Errorf("%d blobs were tried, want at most %d", blobs.deletes, most)
		}
		s.must(s.cleanUp(t.Context()))
		if s.announced() != cleanupBatch {
			t.Errorf("%d files are left, want only the stuck ones", s.announced())
		}
		s.leaves("100 files are left") // it begins again
		blobs.keys = nil
		s.must(s.cleanUp(t.Context())) // behind them
		s.must(s.cleanUp(t.Context()))
		s.nothing()
	})
}
