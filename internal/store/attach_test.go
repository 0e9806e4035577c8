package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/id"
	"parley/internal/testdb"
)

// attach opens the world's database as another process does.
func attach(t *testing.T, dir, url string) *Store {
	t.Helper()
	s, err := Attach(t.Context(), dir, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestACommandWorksBesideAServer(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		user := w.user()
		w.lease("server", time.Minute)
		command := attach(t, w.dir, url)
		errs := parallel(4, func(n int) error {
			for range 20 {
				var err error
				if n%2 == 0 {
					err = w.CreateSession(t.Context(), NewSession{ID: id.New(), UserID: user, Title: "by the server", Now: w.now})
				} else {
					err = command.DisableUser(t.Context(), user, w.now)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		w.must(errors.Join(errs...))
		if found, _, err := w.UserByID(t.Context(), user); err != nil || found.DisabledAt != w.now.Unix() {
			t.Errorf("the server sees %+v, %v", found, err)
		}
		if n := number(t, w.Store, `SELECT count(*) FROM owners`); n != 1 {
			t.Errorf("the command has forgotten the server's lease")
		}
	})
}

func TestACommandNeedsTheSchemaOfItsRelease(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		for number, says := range map[int64]string{Schema() + 1: "use the release that the server has", Schema() - 1: "start the server of this release"} {
			w.run(fmt.Sprintf(`UPDATE goose_db_version SET version_id = %d WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, number))
			if _, err := Attach(t.Context(), w.dir, url); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("schema %d: %v", number, err)
			}
		}
	})
}

func TestACommandMakesNoDatabase(t *testing.T) {
	dir := t.TempDir()
	if _, err := Attach(t.Context(), dir, ""); !errors.Is(err, ErrNoDatabase) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

func TestWhyPostgreSQLCantBeReachedIsSaidInOneLine(t *testing.T) {
	for _, open := range []func(context.Context, string, string) (*Store, error){Open, Attach} {
		_, err := open(t.Context(), t.TempDir(), "postgres://u:hush@127.0.0.1:1/d")
		if err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	}
}

func TestTheDatabaseIsItsOwnersOnly(t *testing.T) {
	dir := t.TempDir() // which was there before, with its own rights
	w, err := Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, name := range []string{SQLiteFile, SQLiteFile + "-wal", SQLiteFile + "-shm"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestACommandOfAnotherUserIsToldSo(t *testing.T) {
	dir, err := os.MkdirTemp("", "rights") // where others can look, unlike in t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := errors.Join(os.WriteFile(filepath.Join(dir, SQLiteFile), nil, 0o600), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	find := func(mode os.FileMode) error {
		if err := os.Chmod(filepath.Join(dir, SQLiteFile), mode); err != nil {
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

// asNobody does something without root's rights, on a thread that is given up after it.
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

// TestAServerHearsOfWhatACommandHasWritten is for SQLite: replicas tell each other.
func TestAServerHearsOfWhatACommandHasWritten(t *testing.T) {
	w := newWorld(t, "")
	user := w.user()
	heard := make(chan Signal)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Listen(ctx, slog.New(slog.DiscardHandler), func(s Signal) {
			select {
			case heard <- s:
			case <-ctx.Done():
			}
		})
	}()
	command := attach(t, w.dir, "")
	// It may begin to listen after the first changes: so there are some until it hears.
	for done := false; !done; {
		w.must(errors.Join(command.DisableUser(t.Context(), user, w.now), command.EnableUser(t.Context(), user)))
		select {
		case s := <-heard:
			done = true
			if s.Kind != Missed {
				t.Errorf("heard %+v", s)
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
	cancel()
	<-ended
}
