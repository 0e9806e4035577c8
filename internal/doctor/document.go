package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/library"
)

const (
	// filesAtOnce is how many documents one query reads.
	filesAtOnce = 500
	// maxListed is how many ids a check lists at most.
	maxListed = 5
	// strayAge is how old bytes must be to count as left over.
	strayAge = library.IntentLife
)

// documents finds documents without bytes.
func (c Config) documents(ctx context.Context) Check {
	const name = "documents"
	var lost []string
	total := 0
	for after := ""; ; {
		files, err := c.Store.FilesAfter(ctx, after, filesAtOnce)
		if err != nil {
			return Failed(name, err, fromBackup)
		}
		for _, file := range files {
			complete, err := c.isComplete(ctx, file)
			if err != nil {
				return Failed(name, err, "see that the files can be reached")
			}
			if !complete {
				lost = append(lost, file.FileID)
			}
			after = file.FileID
		}
		total += len(files)
		c.Progress(fmt.Sprintf("%d documents", total))
		if len(files) < filesAtOnce {
			break
		}
	}
	if len(lost) > 0 {
		const advice = "bring them back from a backup, or let their users delete them; " +
			"see that PARLEY_FILES_URL and PARLEY_DATA are those of the server"
		return Check{name, Problem, fmt.Sprintf("%d of %d lack bytes: %s", len(lost), total, listFirst(lost)), advice, ""}
	}
	return Check{name, OK, fmt.Sprintf("%d, all with their bytes", total), "", ""}
}

// isComplete reports whether a document has all its bytes or was deleted meanwhile.
func (c Config) isComplete(ctx context.Context, file parley.File) (bool, error) {
	for _, key := range library.Keys(file) {
		r, err := c.Blobs.Get(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			known, _, err := c.Store.FileKnown(ctx, file.FileID)
			return !known, err
		}
		if err != nil {
			return false, err
		}
		size, err := r.Seek(0, io.SeekEnd)
		_ = r.Close() // nothing was read
		if err != nil {
			return false, err
		}
		if key == file.FileID && size != file.FileSize {
			return false, nil
		}
	}
	return true, nil
}

// bytes finds bytes without a document.
func (c Config) bytes(ctx context.Context) Check {
	const name = "bytes"
	dir, ok := c.Blobs.(*blob.Dir)
	if !ok {
		const detail = "a bucket is not listed; " +
			"what an upload or a deletion leaves there is always announced in the database"
		return Check{name, OK, detail, "", ""}
	}
	var strays []string
	known := 0
	before := c.Now().Add(-strayAge)
	err := dir.Each(ctx, func(key string, written time.Time) error {
		fileID, _, _ := strings.Cut(key, ".")
		file, intent, err := c.Store.FileKnown(ctx, fileID)
		if file || intent {
			known++
		}
		if err != nil || file || intent || !written.Before(before) {
			return err
		}
		// It may have been deleted since it was listed, and its intent with it.
		r, err := dir.Get(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		strays = append(strays, key)
		return r.Close()
	})
	if err != nil {
		return Failed(name, err, "see that the data folder can be read")
	}
	if len(strays) == 0 {
		return Check{name, OK, "none without a document", "", ""}
	}
	detail := fmt.Sprintf("%d files belong to no document: %s", len(strays), listFirst(strays))
	// That many strays mean that the folder belongs to another database.
	if len(strays) > maxListed && len(strays) > known {
		const advice = "most of the bytes are unknown to this database: " +
			"see that PARLEY_DATABASE_URL is the server's; nothing is deleted"
		return Check{name, Problem, detail, advice, ""}
	}
	if !c.Fix {
		return Check{name, Warning, detail, runFix + " to delete them", ""}
	}
	for _, key := range strays {
		if err := dir.Delete(ctx, key); err != nil {
			return Failed(name, err, runFix+" again")
		}
	}
	return Check{name, OK, detail, "", "deleted"}
}

// listFirst returns the first few ids as a list.
func listFirst(ids []string) string {
	text := strings.Join(ids[:min(len(ids), maxListed)], ", ")
	if len(ids) > maxListed {
		text += ", …"
	}
	return text
}
