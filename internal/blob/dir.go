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
	// partial is the folder of unfinished Puts.
	partial  = "partial"
	ownerDir = 0o700
	ownerRW  = 0o600
)

// Dir stores blobs as files in a folder. Several processes may share the folder.
type Dir struct {
	root *os.Root

	mu   sync.Mutex
	made map[string]bool // sub-folders known to be on disk
}

// OpenDir opens the folder at path and creates it if it does not exist.
func OpenDir(path string) (*Dir, error) {
	if err := fsutil.Make(path); err != nil {
		return nil, fmt.Errorf("make the blob folder: %w", err)
	}
	// Another process may just have created it.
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

// makeDurable creates a sub-folder and syncs it to disk, the first time this process writes
// into it. It also syncs one that another process has created.
func (d *Dir) makeDurable(folder string) error {
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

// Close closes the folder. Open blobs stay readable.
func (d *Dir) Close() error {
	return d.root.Close()
}

// String implements Store.
func (d *Dir) String() string { return "folder " + d.root.Name() }

// Put implements Store. When it returns nil the bytes are on disk.
func (d *Dir) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	loc, err := locate(key)
	if err != nil {
		return 0, err
	}
	temporary := partial + "/" + id.New()
	size, err := d.write(ctx, temporary, r)
	if err == nil {
		err = d.makeDurable(loc.folder)
	}
	if err == nil {
		err = d.root.Rename(temporary, loc.path)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("put blob: %w", err), d.remove(temporary))
	}
	if err := d.syncFolder(loc.folder); err != nil {
		return 0, errors.Join(fmt.Errorf("put blob: %w", err), d.remove(loc.path))
	}
	return size, nil
}

// Keep implements Store.
func (d *Dir) Keep(ctx context.Context, key string, r io.Reader) (io.ReadSeekCloser, int64, error) {
	size, err := d.Put(ctx, key, r)
	if err != nil {
		return nil, 0, err
	}
	kept, err := d.Get(ctx, key)
	return kept, size, err
}

// write copies r into a new file and syncs it to disk.
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

// Get implements Store. An open blob stays readable if it is replaced or deleted.
func (d *Dir) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	loc, err := locate(key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := d.root.Open(loc.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	return f, nil
}

// Delete implements Store. While the folder is held it returns ErrHeld.
func (d *Dir) Delete(ctx context.Context, key string) error {
	loc, err := locate(key)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.checkHold(); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	if err := d.remove(loc.path); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	if err := d.syncFolder(loc.folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}

// Sweep implements Store. The file of a running Put is recent, since it is being written. One that can't be removed is
// left, and the first such error returned.
func (d *Dir) Sweep(ctx context.Context, before time.Time) error {
	left, err := fs.ReadDir(d.root.FS(), partial)
	if err != nil {
		return fmt.Errorf("sweep blobs: %w", err)
	}
	var first error
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
		if err := d.remove(partial + "/" + entry.Name()); err != nil && first == nil {
			first = fmt.Errorf("sweep blobs: %w", err)
		}
	}
	return first
}

// Each calls fn with the key and the time of every blob.
func (d *Dir) Each(ctx context.Context, fn func(key string, written time.Time) error) error {
	return fs.WalkDir(d.root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // deleted during the walk
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		if path == partial {
			return fs.SkipDir
		}
		loc, err := locate(entry.Name())
		if err != nil || loc.path != path {
			return nil // a folder, or not a blob
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		return fn(entry.Name(), info.ModTime())
	})
}

func (d *Dir) remove(path string) error {
	err := d.root.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncFolder syncs a folder's entries to disk. Syncing a file does not.
func (d *Dir) syncFolder(path string) error {
	f, err := d.root.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// UntilDone returns a reader of r that fails once ctx has ended.
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
