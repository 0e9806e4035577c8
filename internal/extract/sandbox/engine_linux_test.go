package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// heldCache is a cache. The test holds its lock, as another server does while it compiles.
type heldCache struct {
	t      *testing.T
	folder string
	lock   *os.File
}

func holdCache(t *testing.T) *heldCache {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "cache")
	lock, err := lockCache(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
	return &heldCache{t, folder, lock}
}

// waiters returns the processes that wait for the lock.
func (c *heldCache) waiters() []string {
	c.t.Helper()
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		c.t.Fatal(err)
	}
	info, err := c.lock.Stat()
	if err != nil {
		c.t.Fatal(err)
	}
	inode := fmt.Sprint(":", info.Sys().(*syscall.Stat_t).Ino)
	var waiting []string
	for line := range strings.Lines(string(locks)) { // 1: -> FLOCK ADVISORY WRITE 123 00:24:567 0 EOF
		if fields := strings.Fields(line); len(fields) > 6 && fields[1] == "->" && strings.HasSuffix(fields[6], inode) {
			waiting = append(waiting, fields[5])
		}
	}
	return waiting
}

// awaitWaiter returns the process that waits for the lock. It fails the test if done is closed first.
func (c *heldCache) awaitWaiter(done <-chan struct{}) string {
	c.t.Helper()
	for {
		if waiting := c.waiters(); len(waiting) > 0 {
			return waiting[0]
		}
		select {
		case <-done:
			c.t.Fatal("it did not wait")
		default:
			runtime.Gosched()
		}
	}
}

// fill adds the compiled engine and returns the place of its code.
func (c *heldCache) fill() string {
	c.t.Helper()
	ready := newPool(c.t, nil)
	if err := ready.Prepare(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	var code string
	err := filepath.WalkDir(ready.config.Cache, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == lockFile {
			return err
		}
		place, err := filepath.Rel(ready.config.Cache, path)
		if err != nil {
			return err
		}
		code = filepath.Join(c.folder, place)
		content, err := os.ReadFile(path)
		return errors.Join(err, os.MkdirAll(filepath.Dir(code), 0o700), os.WriteFile(code, content, 0o600))
	})
	if err != nil || code == "" {
		c.t.Fatal(code, err)
	}
	return code
}

func (c *heldCache) stat(path string) os.FileInfo {
	c.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		c.t.Fatal(err)
	}
	return info
}

// TestTheEngineIsCompiledOnce has a server compile ahead while another one holds the cache, and a PDF
// arrive meanwhile.
func TestTheEngineIsCompiledOnce(t *testing.T) {
	cache := holdCache(t)
	pool := newPool(t, func(c *Config) { c.Cache = cache.folder })
	ahead, arrived := make(chan struct{}), make(chan struct{})
	var failed error
	go func() { failed = pool.PrepareAhead(t.Context()); close(ahead) }()
	waiter := cache.awaitWaiter(ahead)
	checkPriority(t, waiter)

	content, err := os.ReadFile("../testdata/libreoffice.pdf")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var refused error
	go func() {
		_, refused = pool.Read(t.Context(), file(string(content), "guide.pdf"), &text, io.Discard)
		close(arrived)
	}()
	code := cache.fill()
	before := cache.stat(code)
	select {
	case <-arrived:
		t.Errorf("a PDF did not wait: %v", refused)
	default:
	}
	if waiting := cache.waiters(); len(waiting) != 1 || waiting[0] != waiter {
		t.Errorf("processes %v compile", waiting)
	}
	cache.lock.Close()
	<-ahead
	<-arrived
	if failed != nil || refused != nil || !strings.Contains(text.String(), "Palinuro") {
		t.Errorf("got %v, %v, %.100q", failed, refused, text.String())
	}
	if !os.SameFile(before, cache.stat(code)) {
		t.Error("it was compiled again")
	}
}

func checkPriority(t *testing.T, pid string) {
	t.Helper()
	threads, err := filepath.Glob("/proc/" + pid + "/task/*/stat")
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		_, fields, _ := strings.Cut(string(stat), ") ")
		const nice = 16 // the 19th field, after the number and the name
		if got := strings.Fields(fields)[nice]; got != "19" {
			t.Errorf("%s has the nice value %s", thread, got)
		}
	}
}

func TestCompilingAheadEndsWithTheServer(t *testing.T) {
	cache := holdCache(t)
	pool := newPool(t, func(c *Config) { c.Cache = cache.folder })
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	var failed error
	go func() { failed = pool.PrepareAhead(ctx); close(done) }()
	pid := cache.awaitWaiter(done)
	stop()
	<-done
	if !errors.Is(failed, context.Canceled) {
		t.Errorf("got %v", failed)
	}
	if _, err := os.Stat("/proc/" + pid); err == nil {
		t.Error("the process is still there")
	}
}
