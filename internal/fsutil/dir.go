// Package fsutil makes folders that are still there after a power cut.
package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Make makes a folder for its owner only, and the folders above that are missing. When
// it returns, each that it made has reached the disk. One that exists is left as it is.
func Make(path string) error {
	path = filepath.Clean(path)
	err := os.Mkdir(path, 0o700)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		if err := Make(above); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return check(path)
	}
	if err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// check makes sure that what stands at path is a folder.
func check(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	}
	return err
}

// Sync brings a folder's entries to disk: the sync of a file does not.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
