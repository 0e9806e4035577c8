package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/fsutil"
	"parley/internal/library"
	"parley/internal/store"
)

// unpack unpacks the archive into a new folder at path, syncs it and checks it.
func (c RestoreConfig) unpack(ctx context.Context, archive io.Reader, path string, report *Report) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // its files are synced
	r := newReader(blob.UntilDone(ctx, archive), report.Size)
	if report.About, err = r.about(); err != nil {
		return err
	}
	if report.Format != format || report.Schema > store.Schema() {
		return fmt.Errorf("the archive is of a newer release (%s): restore it with that one", report.Parley)
	}
	blobs, err := c.unpackFiles(r, root, report.Documents)
	if err != nil {
		return err
	}
	if err := syncFolders(path); err != nil {
		return err
	}
	c.Progress("checking the database")
	return checkUnpacked(ctx, path, blobs, report)
}

// unpackFiles unpacks all entries after the first and returns the number of blobs. It
// returns an error if an entry is not the expected one.
func (c RestoreConfig) unpackFiles(r *reader, root *os.Root, documents int64) (blobs int64, err error) {
	name, _, err := r.next()
	if err != nil {
		return 0, err
	}
	if name != db.SQLiteFile {
		return 0, fmt.Errorf("%w: %q is not what comes second", errNotAnArchive, name)
	}
	if err := unpackFile(r, root, name); err != nil {
		return 0, err
	}
	if err := root.Mkdir(filesDir, 0o700); err != nil {
		return 0, err
	}
	last := ""
	for {
		name, _, err := r.next()
		if err != nil {
			return 0, err
		}
		if name == sumsName {
			return blobs, r.checkSums()
		}
		key := name[strings.LastIndexByte(name, '/')+1:]
		path, err := blob.Path(key)
		// Keys are in order, so none can come twice.
		if err != nil || name != filesDir+"/"+path || key <= last {
			return 0, fmt.Errorf("%w: %q has no place in one", errNotAnArchive, name)
		}
		last = key
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return 0, err
		}
		if err := unpackFile(r, root, name); err != nil {
			return 0, err
		}
		blobs++
		c.Progress(fmt.Sprintf("unpacked %d files of %d documents", blobs, documents))
	}
}

// unpackFile writes an entry to a new file and syncs it.
func unpackFile(r *reader, root *os.Root, name string) (err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := r.copyTo(f, name); err != nil {
		return err
	}
	return f.Sync()
}

// syncFolders syncs the folder at path and all folders in it.
func syncFolders(path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return fsutil.Sync(path)
	})
}

// checkUnpacked returns an error if the database is damaged, or if the blobs don't belong
// to it. It adds documents that lack blobs to the report.
func checkUnpacked(ctx context.Context, path string, blobs int64, report *Report) error {
	snapshot, err := store.OpenSnapshot(filepath.Join(path, db.SQLiteFile))
	if err != nil {
		return err
	}
	defer snapshot.Close() //nolint:errcheck // it was only read
	if err := snapshot.Check(ctx); err != nil {
		return err
	}
	schema, err := snapshot.Schema(ctx)
	if err != nil {
		return err
	}
	if schema != report.Schema {
		return fmt.Errorf("%w: its database has schema %d, not %d", errNotAnArchive, schema, report.Schema)
	}
	kept, documents := int64(0), int64(0)
	err = snapshot.Documents(ctx, func(file parley.File) error {
		documents++
		n, err := countBlobs(path, library.Keys(file))
		if err != nil {
			return err
		}
		if n < int64(len(library.Keys(file))) {
			report.Missing = append(report.Missing, file.FileID)
		}
		vectors, err := countBlobs(path, []string{library.VectorsKey(file)})
		kept += n + vectors
		return err
	})
	if err != nil {
		return err
	}
	if documents != report.Documents {
		return fmt.Errorf("%w: its database has %d documents, not %d", errNotAnArchive, documents, report.Documents)
	}
	if kept != blobs {
		return fmt.Errorf("%w: %d of its files belong to no document", errNotAnArchive, blobs-kept)
	}
	return nil
}

// countBlobs returns how many of a document's blobs were unpacked.
func countBlobs(path string, keys []string) (n int64, err error) {
	for _, key := range keys {
		place, err := blob.Path(key)
		if err != nil {
			return n, fmt.Errorf("%w: a document is called %q", errNotAnArchive, key)
		}
		_, err = os.Lstat(filepath.Join(path, filesDir, place))
		if err == nil {
			n++
		} else if !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
	}
	return n, nil
}
