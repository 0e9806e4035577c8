package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
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

func put(t *testing.T, d *Dir, key, content string) {
	t.Helper()
	size, err := d.Put(t.Context(), key, strings.NewReader(content))
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	if size != int64(len(content)) {
		t.Errorf("put %s: size %d, want %d", key, size, len(content))
	}
}

func get(t *testing.T, d *Dir, key string) string {
	t.Helper()
	r, err := d.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
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

func TestWhatWasPutIsThereAfterReopening(t *testing.T) {
	d, path := openDir(t)
	key := id.New()
	put(t, d, key, "bytes")
	put(t, d, key+".text", "text")
	put(t, d, id.New(), "")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	again, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := get(t, again, key); got != "bytes" {
		t.Errorf("got %q", got)
	}
	if got := get(t, again, key+".text"); got != "text" {
		t.Errorf("got %q", got)
	}
}

func TestPutReplacesWhatWasThere(t *testing.T) {
	d, path := openDir(t)
	key := id.New()
	put(t, d, key, "the first, which is longer")
	put(t, d, key, "the second")
	if got := get(t, d, key); got != "the second" {
		t.Errorf("got %q", got)
	}
	if n := len(files(t, path)); n != 1 {
		t.Errorf("%d files, want 1", n)
	}
}

func TestGetCanSeek(t *testing.T) {
	d, _ := openDir(t)
	key := id.New()
	put(t, d, key, "0123456789")
	r, err := d.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Seek(7, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil || string(rest) != "789" {
		t.Errorf("got %q, %v", rest, err)
	}
}

func TestGetOfNothingIsNotFound(t *testing.T) {
	d, _ := openDir(t)
	if _, err := d.Get(t.Context(), id.New()); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestDeleteRemovesOneKeyAndMayBeRepeated(t *testing.T) {
	d, _ := openDir(t)
	key := id.New()
	put(t, d, key, "bytes")
	put(t, d, key+".text", "text")
	for range 2 {
		if err := d.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if got := get(t, d, key+".text"); got != "text" {
		t.Errorf("got %q", got)
	}
}

func TestFailedPutLeavesNothing(t *testing.T) {
	broken := errors.New("connection reset")
	d, path := openDir(t)
	r := io.MultiReader(bytes.NewReader(make([]byte, 100_000)), iotest.ErrReader(broken))
	if _, err := d.Put(t.Context(), id.New(), r); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	if left := files(t, path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestFailedPutKeepsWhatWasThere(t *testing.T) {
	d, _ := openDir(t)
	key := id.New()
	put(t, d, key, "old")
	if _, err := d.Put(t.Context(), key, iotest.ErrReader(io.ErrUnexpectedEOF)); err == nil {
		t.Fatal("no error")
	}
	if got := get(t, d, key); got != "old" {
		t.Errorf("got %q", got)
	}
}

func TestCancelledPutLeavesNothing(t *testing.T) {
	d, path := openDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 3 {
			cancel()
		}
		return len(p), nil
	})
	if _, err := d.Put(ctx, id.New(), endless); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := files(t, path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestPutCancelledAtItsLastByteLeavesNothing(t *testing.T) {
	d, path := openDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	last := readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, io.EOF
	})
	if _, err := d.Put(ctx, id.New(), last); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := files(t, path); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestPutRunsInConstantMemory(t *testing.T) {
	d, _ := openDir(t)
	const size = 8 << 20
	zeros := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := d.Put(t.Context(), id.New(), io.LimitReader(zeros, size)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 256<<10 {
		t.Errorf("a put of %d bytes allocates %d bytes", size, got)
	}
}

func TestEndedContextIsRefused(t *testing.T) {
	d, _ := openDir(t)
	key := id.New()
	put(t, d, key, "bytes")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Get(ctx, key); !errors.Is(err, context.Canceled) {
		t.Errorf("get: %v", err)
	}
	if err := d.Delete(ctx, key); !errors.Is(err, context.Canceled) {
		t.Errorf("delete: %v", err)
	}
	if got := get(t, d, key); got != "bytes" {
		t.Errorf("got %q", got)
	}
}

func TestPutsSideBySide(t *testing.T) {
	d, path := openDir(t)
	same := id.New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := d.Put(t.Context(), same, strings.NewReader("same")); err != nil {
				t.Error(err)
			}
			if _, err := d.Put(t.Context(), id.New(), strings.NewReader("own")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(files(t, path)); n != 9 {
		t.Errorf("%d files, want 9", n)
	}
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
