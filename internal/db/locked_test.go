package db

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// lockDatabase takes the write lock of SQLite, as another process would, until it is released.
// The writer waits for it in steps of a millisecond.
func lockDatabase(t *testing.T, w *world) (release func()) {
	t.Helper()
	w.must(w.Write(t.Context(), func(ctx context.Context, q Querier) error {
		_, err := q.ExecContext(ctx, `PRAGMA busy_timeout = 1`)
		return err
	}))
	pool, err := sql.Open("sqlite", sqliteDSN(filepath.Join(w.dir, SQLiteFile), ""))
	w.must(err)
	conn, err := pool.Conn(t.Context())
	w.must(err)
	_, err = conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`)
	w.must(err)
	release = sync.OnceFunc(func() {
		_, err := conn.ExecContext(context.WithoutCancel(t.Context()), `ROLLBACK`)
		if err := errors.Join(err, conn.Close(), pool.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release)
	return release
}

// begin starts a write and waits until it has met the lock.
func (w *world) begin(ctx context.Context, do Func) <-chan error {
	queueOf(w).locked.Store(false)
	result := make(chan error, 1)
	go func() { result <- w.Write(ctx, do) }()
	await(queueOf(w).locked.Load)
	return result
}

func TestAWriteWaitsForAnotherProcess(t *testing.T) {
	w := newWorld(t, "")
	release := lockDatabase(t, w)
	result := w.begin(t.Context(), put("patient"))
	release()
	w.must(<-result)
}

func TestAWriteThatWaitsForAnotherProcessEndsWithItsContext(t *testing.T) {
	w := newWorld(t, "")
	release := lockDatabase(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	result := w.begin(ctx, put("late"))
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
	release()
	w.must(w.Write(t.Context(), put("next")))
	if exists(t, second(t, w), "late") {
		t.Error("an abandoned write was done")
	}
}

func TestStoppingDoesNotWaitForAnotherProcess(t *testing.T) {
	w := newWorld(t, "")
	lockDatabase(t, w)
	result := w.begin(t.Context(), put("never"))
	w.must(queueOf(w).stop())
	if err := <-result; !isBusy(err) {
		t.Errorf("got %v", err)
	}
}
