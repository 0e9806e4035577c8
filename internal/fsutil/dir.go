// Package fsutil creates folders that survive a power failure, and does with files what each system does in its own
// way.
package fsutil

import (
	"errors"
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
