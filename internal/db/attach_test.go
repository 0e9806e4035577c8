package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"parley/internal/testdb"
)

func TestAttachNeedsTheSchemaOfTheProgram(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		for version, want := range map[int64]string{
			2: "use the release that the server has",
			0: "start the server of this release",
		} {
			w.must(w.Change(t.Context(), Do(fmt.Sprintf(`UPDATE goose_db_version SET version_id = %d
				WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, version))))
			_, err := Attach(t.Context(), testConfig(w.dir, url))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("schema %d: %v", version, err)
			}
		}
	})
}

func TestAttachMakesNoDatabase(t *testing.T) {
	dir := t.TempDir()
	if _, err := Attach(t.Context(), testConfig(dir, "")); !errors.Is(err, ErrNoDatabase) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

func TestAnErrorToReachPostgreSQLIsOneLineWithoutThePassword(t *testing.T) {
	for _, open := range []func(context.Context, Config) (*DB, error){Open, Attach} {
		_, err := open(t.Context(), testConfig(t.TempDir(), "postgres://u:hush@127.0.0.1:1/d"))
		if err == nil || !strings.Contains(err.Error(), "connection refused") ||
			strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	}
}

func TestTheDatabaseIsItsOwnersOnly(t *testing.T) {
	dir := t.TempDir() // exists already, with a mode of its own
	openDB(t, dir, "")
	for _, name := range []string{SQLiteFile, SQLiteFile + "-wal", SQLiteFile + "-shm"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestADatabaseOfAnotherUserIsNotFound(t *testing.T) {
	dir, err := os.MkdirTemp("", "rights") // readable for other users, unlike t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, SQLiteFile)
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	find := func(mode os.FileMode) error {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		return asNobody(func() error {
			_, err := FindSQLite(dir)
			return err
		})
	}
	for _, mode := range []os.FileMode{0o400, 0o444} {
		if err := find(mode); !errors.Is(err, ErrNoRights) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := find(0o666); err != nil {
		t.Errorf("with all rights: %v", err)
	}
}

// asNobody calls do without root's rights, on a thread that ends with it.
func asNobody(do func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			const nobody = 65_534
			if _, _, code := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody); code != 0 {
				result <- code
				return
			}
		}
		result <- do()
	}()
	return <-result
}
