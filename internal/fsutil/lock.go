package fsutil

import "errors"

// ErrLocked is returned if another process has a lock on a file.
var ErrLocked = errors.New("another process has locked the file")
