package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"parley/internal/fsutil"
)

// ErrHeld means that blobs can't be deleted now because a backup is copying them.
var ErrHeld = errors.New("blob: held for a backup")

// HoldFile is the file that Hold locks, shared. The lock ends with the process.
const HoldFile = "hold"

// Hold prevents all processes from deleting blobs of this folder until release is called. Meanwhile all blobs named by
// a snapshot of the database can be copied. Deletions that have begun may still finish, since their rows are not in the
// snapshot.
func (d *Dir) Hold() (release func() error, err error) {
	f, err := d.root.OpenFile(HoldFile, os.O_CREATE|os.O_RDWR, ownerRW)
	if err != nil {
		return nil, fmt.Errorf("hold blobs: %w", err)
	}
	if err := errors.Join(d.giveToOwner(f), fsutil.LockShared(f)); err != nil {
		return nil, errors.Join(fmt.Errorf("hold blobs: %w", err), f.Close())
	}
	return f.Close, nil
}

// giveToOwner changes the owner of a file created by root to the owner of the folder. Otherwise
// a server of that owner could not open the file and so could not delete blobs.
func (d *Dir) giveToOwner(f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := d.root.Stat(".")
	if err != nil {
		return err
	}
	user, group, known := fsutil.Owner(info)
	if !known {
		return nil
	}
	return f.Chown(user, group)
}

// checkHold returns ErrHeld while the folder is held.
func (d *Dir) checkHold() error {
	f, err := d.root.OpenFile(HoldFile, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if err = fsutil.TryLock(f); errors.Is(err, fsutil.ErrLocked) {
		return ErrHeld
	}
	return err
}
