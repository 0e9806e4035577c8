// Package fsutil creates folders durably, so that they survive a power failure, and measures free space.
package fsutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Make creates a folder for its owner only, with any missing parents, and syncs them to disk.
// A folder that exists is left unchanged.
func Make(path string) error {
	path = filepath.Clean(path)
	err := os.Mkdir(path, 0o700)
	if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
		if err := Make(parent); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return checkFolder(path)
	}
	if err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// checkFolder returns an error unless path is a folder.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// Sync syncs a folder's entries to disk. Syncing a file does not.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Free returns how many bytes can still be written in a folder.
func Free(path string) (int64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(path, &disk); err != nil {
		return 0, fmt.Errorf("look for free space in %s: %w", path, err)
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil
}
