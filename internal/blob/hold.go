package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ErrHeld says that blobs can't be deleted now, since somebody copies all of them.
var ErrHeld = errors.New("blob: held for a backup")

// HoldFile is locked, shared, by whoever holds the folder. A lock goes with its
// process, so that nobody can forget to release it.
const HoldFile = "hold"

// Hold keeps every process from deleting blobs of this folder until it is released, so
// that what a state of the database names is there for as long as it takes to copy it.
// Deletions under way may still go on: their rows are gone already.
func (d *Dir) Hold() (release func() error, err error) {
	f, err := d.root.OpenFile(HoldFile, os.O_CREATE|os.O_RDWR, ownerRW)
	if err != nil {
		return nil, fmt.Errorf("hold blobs: %w", err)
	}
	if err := errors.Join(d.giveToOwner(f), syscall.Flock(int(f.Fd()), syscall.LOCK_SH)); err != nil {
		return nil, errors.Join(fmt.Errorf("hold blobs: %w", err), f.Close())
	}
	return f.Close, nil
}

// giveToOwner lets a file that root has made be the folder's owner's, who would not be
// able to open it and so could delete nothing any more.
func (d *Dir) giveToOwner(f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := d.root.Stat(".")
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

// checkHold is ErrHeld while somebody holds the folder.
func (d *Dir) checkHold() error {
	f, err := d.root.OpenFile(HoldFile, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
