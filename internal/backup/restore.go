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
	"syscall"
	"time"

	"parley/internal/blob"
	"parley/internal/db"
	"parley/internal/fsutil"
)

// unpacked is the folder within the data folder that an archive is unpacked into. What
// an interrupted restore leaves there is of no use to anybody.
const unpacked = "restore.partial"

// databaseFiles belong together.
var databaseFiles = []string{db.SQLiteFile, db.SQLiteFile + "-wal", db.SQLiteFile + "-shm"}

// RestoreConfig says what is put in place, and where.
type RestoreConfig struct {
	// Data is the data folder. No server may be using it.
	Data string
	// File is the archive.
	File string
	// Force lets the folder hold something already, which is moved aside.
	Force bool
	// Progress is told from time to time how far it is.
	Progress func(text string)
	// Now is the clock.
	Now func() time.Time
}

// Restore puts the database and the documents of an archive in place, or changes
// nothing. The archive may be anything: nothing in it is believed unchecked.
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
	defer release() //nolint:errcheck // the lock goes with the process
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

// checkOwner makes sure that what is restored will be the server's own, whose folder it
// is: root could restore it, and no server would start.
func checkOwner(data string) error {
	info, err := os.Stat(data)
	if err != nil {
		return err
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return fmt.Errorf("the data folder %s belongs to user %d: run the command as that user, as the server does", data, owner)
	}
	return nil
}

// checkRoom makes sure that there is nothing to be lost, and room for the archive.
func (c RestoreConfig) checkRoom(size int64) error {
	used, err := inUse(c.Data)
	if err != nil {
		return err
	}
	if len(used) > 0 && !c.Force {
		return fmt.Errorf("the data folder %s is not empty (%s): choose another, or add --force to move what is there aside", c.Data, strings.Join(used, ", "))
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(c.Data, &disk); err != nil {
		return fmt.Errorf("look for free space in %s: %w", c.Data, err)
	}
	if free := uint64(disk.Bavail) * uint64(disk.Bsize); free < uint64(size) {
		return fmt.Errorf("%s has %d bytes free, the archive needs %d", c.Data, free, size)
	}
	return nil
}

// inUse lists what of a server's data a folder holds: its database, its documents, or
// a restore that was interrupted while it put them in place.
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

// putInPlace moves what an archive was unpacked into to where a server looks for it, and
// what is there aside. Until all of it is done no server starts.
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

// move renames what there is of some files.
func move(from, to string, names []string) error {
	for _, name := range names {
		err := os.Rename(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
