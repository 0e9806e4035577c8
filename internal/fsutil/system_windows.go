package fsutil

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Lock waits until no other process has a lock on an open file, and locks it. Locks end when the file is closed.
func Lock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// LockShared is Lock for a lock that several processes can have at a time.
func LockShared(f *os.File) error { return lockFile(f, 0) }

// TryLock locks an open file, or returns ErrLocked.
func TryLock(f *os.File) error {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// lockFile locks a byte far behind the end. The file can still be read and written.
func lockFile(f *os.File, flags uint32) error {
	const reserved, size, none, far = 0, 1, 0, 1 << 30
	at := &windows.Overlapped{OffsetHigh: far}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, reserved, size, none, at)
}

// Free returns how many bytes this user can still write to the disk of a folder.
func Free(folder string) (int64, error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return 0, &fs.PathError{Op: "find the free space of", Path: folder, Err: err}
	}
	return int64(free), nil //nolint:gosec // no disk is that large
}

// Owner returns false: users are not numbers here.
func Owner(fs.FileInfo) (user, group int, known bool) { return 0, 0, false }

// CheckWritable returns an error if a file is read-only.
func CheckWritable(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() && info.Mode()&0o200 == 0 {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
	}
	return err
}

// Sync does nothing: the system syncs the entries of folders by itself.
func Sync(path string) error {
	_, err := os.Stat(path)
	return err
}
