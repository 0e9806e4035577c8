//go:build unix

package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock waits until no other process has a lock on an open file, and locks it. Locks end when the file is closed.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// LockShared is Lock for a lock that several processes can have at a time.
func LockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

// TryLock locks an open file, or returns ErrLocked.
func TryLock(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Free returns how many bytes this user can still write to the disk of a folder.
func Free(folder string) (int64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: folder, Err: err}
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil //nolint:unconvert // their types depend on the system
}

// Owner returns the user and the group that a file belongs to, and false if the system has none.
func Owner(info fs.FileInfo) (user, group int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// CheckWritable returns an error if this user may not write a file or a folder. It does not open it.
func CheckWritable(path string) error {
	const write = 2
	return syscall.Access(path, write)
}

// Sync syncs a folder's entries to disk. Syncing a file does not.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
