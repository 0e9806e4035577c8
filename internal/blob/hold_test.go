package blob

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/id"
)

func TestNothingIsDeletedWhileItIsHeld(t *testing.T) {
	path := t.TempDir()
	server, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	backup, err := OpenDir(path) // as another process has it
	if err != nil {
		t.Fatal(err)
	}
	defer backup.Close()
	key := id.New()
	if _, err := server.Put(t.Context(), key, strings.NewReader("bytes")); err != nil {
		t.Fatal(err)
	}
	first, err := backup.Hold()
	if err != nil {
		t.Fatal(err)
	}
	second, err := backup.Hold()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range []func() error{first, second} {
		if err := server.Delete(t.Context(), key); !errors.Is(err, ErrHeld) {
			t.Errorf("while it is held: %v", err)
		}
		if _, err := server.Put(t.Context(), id.New(), strings.NewReader("more")); err != nil {
			t.Errorf("a new blob: %v", err)
		}
		if err := release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Delete(t.Context(), key); err != nil {
		t.Errorf("once it is released: %v", err)
	}
	if _, err := server.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
}

// Backups are often made as root, servers rarely run as root.
func TestWhatRootHoldsTheServerCanDeleteLater(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make another user's folder")
	}
	path := t.TempDir()
	if err := os.Chown(path, 65_534, 65_534); err != nil {
		t.Fatal(err)
	}
	backup, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer backup.Close()
	release, err := backup.Hold()
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(path, HoldFile))
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 65_534 || owner.Gid != 65_534 {
		t.Errorf("the lock is user %d's", owner.Uid)
	}
}
