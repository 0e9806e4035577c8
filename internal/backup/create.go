package backup

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/fsutil"
	"parley/internal/library"
	"parley/internal/store"
)

// workPrefix is the beginning of the name of the folder that an archive is written in.
const workPrefix = ".parley-backup-"

// CreateConfig configures Create.
type CreateConfig struct {
	// Data is the data folder. A server may be using it.
	Data string
	// File is the archive. It is an error if it exists, unless Force is set.
	File  string
	Force bool
	// Version is the version of this program.
	Version string
	// Progress is called from time to time with a description of the current work.
	Progress func(text string)
	// Now is the clock.
	Now func() time.Time
}

// Report is the result of a backup or a restore.
type Report struct {
	About
	// Size is the size of the archive in bytes.
	Size int64
	// Missing lists the ids of documents without bytes: these were missing already. Their rows are kept, but they can't be
	// read.
	Missing []string
	// Aside is the folder that earlier data was moved to, if there was any.
	Aside string
}

// Create writes an archive of the data at one moment.
//
// It holds the blobs, then copies the database, then the blobs of the documents in the
// copy. While the blobs are held none of them can be deleted, and later uploads are not in
// the copy. The archive has a temporary name until it is completely on disk.
func Create(ctx context.Context, c CreateConfig) (report Report, err error) {
	if err := c.checkFree(); err != nil {
		return report, err
	}
	work, err := os.MkdirTemp(filepath.Dir(c.File), workPrefix)
	if err != nil {
		return report, fmt.Errorf("prepare the archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	blobs, err := openBlobs(c.Data)
	if err != nil {
		return report, err
	}
	defer blobs.Close() //nolint:errcheck // it was only read
	release, err := blobs.Hold()
	if err != nil {
		return report, err
	}
	defer release() //nolint:errcheck // the lock ends with the process
	c.Progress("copying the database")
	copied := filepath.Join(work, db.SQLiteFile)
	if err := store.Copy(ctx, c.Data, copied); err != nil {
		return report, err
	}
	whole := filepath.Join(work, "archive")
	if report, err = c.write(ctx, whole, copied, blobs); err != nil {
		return report, err
	}
	if err := c.checkFree(); err != nil { // another process may have written it
		return report, err
	}
	if err := os.Rename(whole, c.File); err != nil {
		return report, fmt.Errorf("name the archive: %w", err)
	}
	return report, fsutil.Sync(filepath.Dir(c.File))
}

// openBlobs opens the documents of a data folder that has a database.
func openBlobs(data string) (*blob.Dir, error) {
	if _, err := db.FindSQLite(data); err != nil {
		return nil, err
	}
	return blob.OpenDir(filepath.Join(data, filesDir))
}

// checkFree returns an error if the archive would overwrite a file without Force.
func (c CreateConfig) checkFree() error {
	info, err := os.Lstat(c.File)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name the archive in it, such as %s", c.File, filepath.Join(c.File, "parley.tar"))
	}
	if err == nil && !c.Force {
		return fmt.Errorf("%s exists: choose another name, or add --force to replace it", c.File)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write writes the archive of a copied database and its blobs to path, and syncs it.
func (c CreateConfig) write(ctx context.Context, path, copied string, blobs *blob.Dir) (report Report, err error) {
	snapshot, err := store.OpenSnapshot(copied)
	if err != nil {
		return report, err
	}
	defer snapshot.Close() //nolint:errcheck // it was only read
	if report.About, err = c.about(ctx, snapshot); err != nil {
		return report, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sums, err := os.CreateTemp(filepath.Dir(path), "sums")
	if err != nil {
		return report, err
	}
	defer sums.Close() //nolint:errcheck // it is removed with its folder
	buffer := bufio.NewWriterSize(file, 1<<20)
	w := &writer{tar: tar.NewWriter(buffer), sums: sums, now: report.Created}
	if err := w.addAbout(report.About); err != nil {
		return report, fmt.Errorf("write the archive: %w", err)
	}
	if err := addFile(ctx, w, copied); err != nil {
		return report, fmt.Errorf("write the archive: %w", err)
	}
	if report.Missing, err = c.addDocuments(ctx, w, snapshot, blobs, report.Documents); err != nil {
		return report, fmt.Errorf("write the archive: %w", err)
	}
	if err := errors.Join(w.finish(), buffer.Flush(), file.Sync()); err != nil {
		return report, fmt.Errorf("write the archive: %w", err)
	}
	report.Size, err = file.Seek(0, io.SeekCurrent)
	return report, err
}

func (c CreateConfig) about(ctx context.Context, snapshot *store.Snapshot) (About, error) {
	about := About{Format: format, Parley: c.Version, Created: c.Now().UTC().Truncate(time.Second)}
	var err error
	if about.Schema, err = snapshot.Schema(ctx); err != nil {
		return about, err
	}
	if about.Schema > store.Schema() {
		return about, fmt.Errorf("the database is of a newer release (schema %d, this program knows %d): "+
			"use that release's parley", about.Schema, store.Schema())
	}
	about.Documents, err = snapshot.CountDocuments(ctx)
	return about, err
}

func addFile(ctx context.Context, w *writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.add(db.SQLiteFile, info.Size(), blob.UntilDone(ctx, f))
}

// addDocuments writes the blobs of all documents, and returns the documents that lack any.
func (c CreateConfig) addDocuments(
	ctx context.Context, w *writer, snapshot *store.Snapshot, blobs *blob.Dir, total int64,
) (missing []string, err error) {
	var done int64
	err = snapshot.Documents(ctx, func(file parley.File) error {
		complete := true
		for _, key := range library.Keys(file) {
			err := addBlob(ctx, w, blobs, key)
			if errors.Is(err, blob.ErrNotFound) {
				complete = false
			} else if err != nil {
				return err
			}
		}
		if err := addBlob(ctx, w, blobs, library.VectorsKey(file)); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
		if !complete {
			missing = append(missing, file.FileID)
		}
		done++
		c.Progress(fmt.Sprintf("%d of %d documents", done, total))
		return nil
	})
	return missing, err
}

func addBlob(ctx context.Context, w *writer, blobs *blob.Dir, key string) error {
	r, err := blobs.Get(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	path, err := blob.Path(key)
	if err != nil {
		return err
	}
	return w.add(filesDir+"/"+path, size, blob.UntilDone(ctx, r))
}
