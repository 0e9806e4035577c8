package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/id"
)

func openDir(t *testing.T) (*Dir, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "files")
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, path
}

// files lists every file below path, relative to it.
func files(t *testing.T, path string) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(path), ".", func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found = append(found, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSweepRemovesOnlyOldRemains(t *testing.T) {
	d, path := openDir(t)
	kept := id.New()
	put(t, d, kept, "whole")
	old := filepath.Join(path, partial, id.New())
	young := filepath.Join(path, partial, id.New())
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, []byte("half"), ownerRW); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	for _, name := range []string{old, filepath.Join(path, kept[len(kept)-2:], kept)} {
		if err := os.Chtimes(name, now, now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}

	if err := d.Sweep(t.Context(), now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old remains are still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("a put under way was removed: %v", err)
	}
	if got := get(t, d, kept); got != "whole" {
		t.Errorf("got %q", got)
	}
}

func TestSweepGoesOnPastWhatItCannotRemove(t *testing.T) {
	d, path := openDir(t)
	stuck, old := filepath.Join(path, partial, "a"), filepath.Join(path, partial, "b")
	err := errors.Join(os.MkdirAll(filepath.Join(stuck, "full"), ownerDir), os.WriteFile(old, nil, ownerRW))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Sweep(t.Context(), time.Now().Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "partial/a") {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the remains behind it are still there: %v", err)
	}
}

func TestLinkOutOfTheFolderIsNotFollowed(t *testing.T) {
	d, path := openDir(t)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), ownerRW); err != nil {
		t.Fatal(err)
	}
	key := id.New()
	put(t, d, key, "replaced by a link")
	if err := d.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(path, key[len(key)-2:], key)); err != nil {
		t.Skip(err)
	}
	if r, err := d.Get(t.Context(), key); err == nil {
		r.Close()
		t.Error("the link was followed")
	}
}

func TestOpenDirFailsWhereAFileIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, ownerRW); err != nil {
		t.Fatal(err)
	}
	if d, err := OpenDir(path); err == nil {
		d.Close()
		t.Error("no error")
	}
}
