package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/fsutil"
)

// unpacked is the folder in the data folder that an archive is unpacked into. A restore
// deletes what an interrupted restore has left there.
const unpacked = "restore.partial"

// databaseFiles are the files of the database. They are moved together.
var databaseFiles = []string{db.SQLiteFile, db.SQLiteFile + "-wal", db.SQLiteFile + "-shm"}

// RestoreConfig configures Restore.
type RestoreConfig struct {
	// Data is the data folder. No server may be using it.
	Data string
	// File is the archive.
	File string
	// Force moves earlier data in the folder aside. Without it, earlier data is an error.
	Force bool
	// Progress is called from time to time with a description of the current work.
	Progress func(text string)
	// Now is the clock.
	Now func() time.Time
}

// Restore puts the database and the documents of an archive in place, or changes nothing.
// The archive is not trusted: all of it is checked first.
func Restore(ctx context.Context, c RestoreConfig) (report Report, err error) {
	archive, err := os.Open(c.File)
	if err != nil {
		return report, err
	}
	defer archive.Close() //nolint:errcheck // it was only read
	info, err := archive.Stat()
	if err != nil {
		return report, err
	}
	if !info.Mode().IsRegular() {
		return report, fmt.Errorf("%s is not a file", c.File)
	}
	report.Size = info.Size()
	if err := fsutil.Make(c.Data); err != nil {
		return report, fmt.Errorf("make the data folder: %w", err)
	}
	if err := checkOwner(c.Data); err != nil {
		return report, err
	}
	release, err := db.LockFolder(c.Data)
	if err != nil {
		return report, fmt.Errorf("%w; stop the server first", err)
	}
	defer release() //nolint:errcheck // the lock ends with the process
	if err := c.checkRoom(report.Size); err != nil {
		return report, err
	}
	partial := filepath.Join(c.Data, unpacked)
	if err := os.RemoveAll(partial); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(partial)) }()
	if err := c.unpack(ctx, bufio.NewReaderSize(archive, 1<<20), partial, &report); err != nil {
		return report, err
	}
	report.Aside, err = c.putInPlace(partial)
	return report, err
}

// checkOwner returns an error if the folder belongs to another user. If root restored into
// it, the server could not read its files.
func checkOwner(data string) error {
	info, err := os.Stat(data)
	if err != nil {
		return err
	}
	if owner, _, known := fsutil.Owner(info); known && owner != os.Geteuid() {
		return fmt.Errorf("the data folder %s belongs to user %d: "+
			"run the command as that user, as the server does", data, owner)
	}
	return nil
}

// checkRoom returns an error if the folder is in use, or has no space for the archive.
func (c RestoreConfig) checkRoom(size int64) error {
	used, err := inUse(c.Data)
	if err != nil {
		return err
	}
	if len(used) > 0 && !c.Force {
		return fmt.Errorf("the data folder %s is not empty (%s): "+
			"choose another, or add --force to move what is there aside", c.Data, strings.Join(used, ", "))
	}
	free, err := fsutil.Free(c.Data)
	if err != nil {
		return fmt.Errorf("look for free space: %w", err)
	}
	if free < size {
		return fmt.Errorf("%s has %d bytes free, the archive needs %d", c.Data, free, size)
	}
	return err
}

// inUse returns the names of a server's data in a folder: database files, the folder of
// documents, or the mark of an interrupted restore.
func inUse(data string) ([]string, error) {
	var used []string
	for _, name := range append([]string{db.Restoring}, databaseFiles...) {
		if _, err := os.Lstat(filepath.Join(data, name)); err == nil {
			used = append(used, name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	documents := false
	err := filepath.WalkDir(filepath.Join(data, filesDir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Base(path) == blob.HoldFile {
			return err
		}
		documents = true
		return fs.SkipAll
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if documents {
		used = append(used, filesDir)
	}
	return used, nil
}

// putInPlace moves earlier data aside and the unpacked data in place. No server starts
// until it is done.
func (c RestoreConfig) putInPlace(partial string) (aside string, err error) {
	used, err := inUse(c.Data)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(c.Data, db.Restoring)
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return "", err
	}
	aside = filepath.Join(c.Data, "before-restore-"+c.Now().UTC().Format("20060102T150405.000Z"))
	if err := errors.Join(os.Mkdir(aside, 0o700), fsutil.Sync(c.Data)); err != nil {
		return "", err
	}
	if err := move(c.Data, aside, append([]string{filesDir}, databaseFiles...)); err != nil {
		return aside, err
	}
	if err := move(partial, c.Data, []string{filesDir, db.SQLiteFile}); err != nil {
		return aside, err
	}
	if err := errors.Join(fsutil.Sync(aside), fsutil.Sync(c.Data), os.Remove(mark), fsutil.Sync(c.Data)); err != nil {
		return aside, err
	}
	if len(used) > 0 {
		return aside, nil
	}
	return "", os.RemoveAll(aside) // at most empty folders
}

// move moves the files that exist.
func move(from, to string, names []string) error {
	for _, name := range names {
		err := os.Rename(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
