package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/internal/fsutil"
	"parley/internal/id"
)

const (
	// partial holds bytes on their way in, away from those that are whole.
	partial  = "partial"
	ownerDir = 0o700
	ownerRW  = 0o600
)

// Dir keeps blobs as files below one folder. Several processes may share the folder.
type Dir struct {
	root *os.Root

	mu   sync.Mutex
	made map[string]bool // shards known to be on disk
}

// OpenDir opens the folder at path, making it where it does not exist.
func OpenDir(path string) (*Dir, error) {
	if err := fsutil.Make(path); err != nil {
		return nil, fmt.Errorf("make the blob folder: %w", err)
	}
	// Another process may have made it a moment ago.
	if err := fsutil.Sync(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("sync the folder above the blobs: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the blob folder: %w", err)
	}
	d := &Dir{root: root, made: make(map[string]bool)}
	if err := d.makeFolder(partial); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the blob folder: %w", err), root.Close())
	}
	return d, nil
}

// makeShard makes a shard durable the first time this process writes into it, also
// where another process has just made it.
func (d *Dir) makeShard(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made[folder] {
		return nil
	}
	if err := d.makeFolder(folder); err != nil {
		return err
	}
	if err := d.syncFolder("."); err != nil {
		return err
	}
	d.made[folder] = true
	return nil
}

func (d *Dir) makeFolder(name string) error {
	err := d.root.Mkdir(name, ownerDir)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Close releases the folder. Readers that Get gave stay usable.
func (d *Dir) Close() error {
	return d.root.Close()
}

func (d *Dir) String() string { return "folder " + d.root.Name() }

// Put is Store's: when it returns nil the bytes are on disk. Otherwise nothing new is
// kept: an error of r, wrapped, and the end of ctx leave no trace.
func (d *Dir) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	at, err := place(key)
	if err != nil {
		return 0, err
	}
	temporary := partial + "/" + id.New()
	size, err := d.write(ctx, temporary, r)
	if err == nil {
		err = d.makeShard(at.folder)
	}
	if err == nil {
		err = d.root.Rename(temporary, at.path)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("put blob: %w", err), d.remove(temporary))
	}
	if err := d.syncFolder(at.folder); err != nil {
		return 0, errors.Join(fmt.Errorf("put blob: %w", err), d.remove(at.path))
	}
	return size, nil
}

// write copies r into a new file and brings it to disk.
func (d *Dir) write(ctx context.Context, path string, r io.Reader) (int64, error) {
	f, err := d.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerRW)
	if err != nil {
		return 0, err
	}
	size, err := io.Copy(f, UntilDone(ctx, r))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return size, ctx.Err()
}

// Get is Store's. What it opens stays whole when it is replaced or deleted meanwhile.
func (d *Dir) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	at, err := place(key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := d.root.Open(at.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	return f, nil
}

// Delete is Store's. While the folder is held it is ErrHeld.
func (d *Dir) Delete(ctx context.Context, key string) error {
	at, err := place(key)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.checkHold(); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	if err := d.remove(at.path); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	if err := d.syncFolder(at.folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}

// Sweep is Store's: a Put under way keeps writing, and so stays young.
func (d *Dir) Sweep(ctx context.Context, before time.Time) error {
	left, err := fs.ReadDir(d.root.FS(), partial)
	if err != nil {
		return fmt.Errorf("sweep blobs: %w", err)
	}
	for _, entry := range left {
		if err := ctx.Err(); err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("sweep blobs: %w", err)
		}
		if !info.ModTime().Before(before) {
			continue
		}
		if err := d.remove(partial + "/" + entry.Name()); err != nil {
			return fmt.Errorf("sweep blobs: %w", err)
		}
	}
	return nil
}

// Each gives the key of every blob to each, and when it was written.
func (d *Dir) Each(ctx context.Context, each func(key string, written time.Time) error) error {
	return fs.WalkDir(d.root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		if path == partial {
			return fs.SkipDir
		}
		at, err := place(entry.Name())
		if err != nil || at.path != path {
			return nil // a folder, or not ours
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		return each(entry.Name(), info.ModTime())
	})
}

func (d *Dir) remove(path string) error {
	err := d.root.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncFolder brings a folder's entries to disk: a file's own sync does not.
func (d *Dir) syncFolder(path string) error {
	f, err := d.root.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// UntilDone reads from r until ctx ends.
func UntilDone(ctx context.Context, r io.Reader) io.Reader { return untilDone{ctx, r} }

type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
