package library

import (
	"context"
	"log/slog"

	"parley"
)

// maxFailures is how many documents may be left out because the blob store failed. With more
// the store is down, and each would cost a time-out.
const maxFailures = 3

// failures are the documents that can't be read for a question. They are left out of the
// reply, since one of them must not cost every reply of its session.
type failures struct {
	log    *slog.Logger
	failed map[string]bool // by file id
	store  int             // failures of the blob store, not of its content
	last   error           // of the store
}

// add records that a document can't be read. It returns the error if the question can't be
// answered without it: ctx has ended, or the store is down.
func (f *failures) add(ctx context.Context, file parley.File, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	f.failed[file.FileID] = true
	if !isDamaged(err) {
		f.last = err
		if f.store++; f.store >= maxFailures {
			return err
		}
	}
	f.log.Error("leave a file out of a reply", "file", file.FileID, "error", err)
	return nil
}

// err returns an error if the store has failed and no document could be read.
func (f *failures) err(files []parley.File) error {
	if len(f.failed) < len(files) {
		return nil
	}
	return f.last
}
