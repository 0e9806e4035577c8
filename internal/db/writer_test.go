package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sqlitedriver "modernc.org/sqlite"
)

// put is a transaction that writes one row.
func put(name string) Func {
	return func(ctx context.Context, q Querier) error {
		_, err := q.ExecContext(ctx, `INSERT INTO items (id) VALUES ($1)`, name)
		return err
	}
}

// queueOf returns the writer of SQLite.
func queueOf(w *world) *writer { return w.engine.(*sqlite).writer }

// holding keeps the writer busy inside a transaction.
type holding struct {
	t       *testing.T
	w       *world
	unblock chan struct{}
	waiting []chan error
	first   chan error
}

func hold(t *testing.T, w *world) *holding {
	t.Helper()
	h := &holding{t: t, w: w, unblock: make(chan struct{}), first: make(chan error, 1)}
	entered := make(chan struct{})
	enter := sync.OnceFunc(func() { close(entered) }) // it runs again if another of its group fails
	go func() {
		h.first <- w.Write(context.Background(), func(ctx context.Context, q Querier) error {
			enter()
			<-h.unblock
			return put("first")(ctx, q)
		})
	}()
	<-entered
	return h
}

// add queues a transaction behind those already waiting.
func (h *holding) add(ctx context.Context, do Func) chan error {
	h.t.Helper()
	result := make(chan error, 1)
	go func() { result <- h.w.Write(ctx, do) }()
	h.waiting = append(h.waiting, result)
	await(func() bool { return len(queueOf(h.w).jobs) == len(h.waiting) })
	return result
}

// release unblocks the writer and returns the results, that of the first at the end.
func (h *holding) release() []error {
	close(h.unblock)
	var errs []error
	for _, result := range append(h.waiting, h.first) {
		errs = append(errs, <-result)
	}
	return errs
}

// await waits until the condition is true.
func await(condition func() bool) {
	for !condition() {
		runtime.Gosched()
	}
}

// second is another connection to the database.
func second(t *testing.T, w *world) *sql.DB {
	t.Helper()
	pool, err := sql.Open("sqlite", sqliteDSN(filepath.Join(w.dir, "parley.db"), "_query_only=1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return pool
}

func exists(t *testing.T, pool *sql.DB, name string) bool {
	t.Helper()
	var n int
	if err := pool.QueryRow(`SELECT count(*) FROM items WHERE id = $1`, name).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n == 1
}

// commits counts the transactions in the write-ahead log: each ends in a frame with the
// size of the database.
func commits(t *testing.T, w *world) (n int) {
	t.Helper()
	const fileHeader, frameHeader = 32, 24
	log, err := os.ReadFile(filepath.Join(w.dir, "parley.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	salt, frame := log[16:24], frameHeader+int(binary.BigEndian.Uint32(log[8:12]))
	for at := fileHeader; at+frame <= len(log) && string(log[at+8:at+16]) == string(salt); at += frame {
		if binary.BigEndian.Uint32(log[at+4:at+8]) != 0 {
			n++
		}
	}
	return n
}

func TestWritesThatWaitShareOneCommit(t *testing.T) {
	w := newWorld(t, "")
	h := hold(t, w)
	before := commits(t, w)
	for i := range 200 {
		h.add(t.Context(), put(numbered("row", i)))
	}
	if errs := h.release(); count(errs) != 201 {
		t.Fatal(errors.Join(errs...))
	}
	if n := commits(t, w) - before; n != 1 {
		t.Errorf("201 writes took %d commits", n)
	}
	if n := number(t, w.DB, `SELECT count(*) FROM items`); n != 201 {
		t.Errorf("%d rows", n)
	}
}

// TestWritesThatAreAboutToComeShareTheCommit has one processor, on which the writer could
// commit the first of them before the others are queued.
func TestWritesThatAreAboutToComeShareTheCommit(t *testing.T) {
	w := newWorld(t, "")
	before := commits(t, w)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := w.Write(t.Context(), put(numbered("row", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := commits(t, w) - before; n > 5 { // the system may interrupt some of them
		t.Errorf("20 writes took %d commits", n)
	}
}

func TestAGroupIsBounded(t *testing.T) {
	w := newWorld(t, "")
	h := hold(t, w)
	before := commits(t, w)
	for i := range maxGroup {
		h.add(t.Context(), put(numbered("row", i)))
	}
	if errs := h.release(); count(errs) != maxGroup+1 {
		t.Fatal(errors.Join(errs...))
	}
	if n := commits(t, w) - before; n != 2 {
		t.Errorf("%d writes took %d commits", maxGroup+1, n)
	}
}

func TestAFailingWriteLeavesItsNeighboursAlone(t *testing.T) {
	w := newWorld(t, "")
	h := hold(t, w)
	refused := errors.New("refused")
	h.add(t.Context(), put("good 1"))
	h.add(t.Context(), func(ctx context.Context, q Querier) error {
		if err := put("half")(ctx, q); err != nil {
			return err
		}
		return refused
	})
	h.add(t.Context(), func(ctx context.Context, q Querier) error {
		if err := put("panicked")(ctx, q); err != nil {
			return err
		}
		panic("out of order")
	})
	h.add(t.Context(), put("good 1")) // breaks the primary key
	h.add(t.Context(), put("good 2"))
	errs := h.release()
	if errs[0] != nil || errs[4] != nil || errs[5] != nil {
		t.Errorf("the good ones failed: %v", errs)
	}
	if !errors.Is(errs[1], refused) {
		t.Errorf("the refused one got %v", errs[1])
	}
	if errs[2] == nil || !strings.Contains(errs[2].Error(), "out of order") {
		t.Errorf("the panic became %v", errs[2])
	}
	if errs[3] == nil {
		t.Error("a second row with the same key was taken")
	}
	if n := number(t, w.DB, `SELECT count(*) FROM items WHERE id IN ('first', 'good 1', 'good 2')`); n != 3 {
		t.Errorf("%d of the good rows are there", n)
	}
	if n := number(t, w.DB, `SELECT count(*) FROM items`); n != 3 {
		t.Errorf("%d rows, something of the bad ones is there", n)
	}
}

func TestAWriteIsVisibleToOthersOnceItReturns(t *testing.T) {
	w := newWorld(t, "")
	other := second(t, w)
	errs := parallel(8, func(i int) error {
		for j := range 10 {
			name := numbered(numbered("row", i), j)
			if err := w.Write(t.Context(), put(name)); err != nil {
				return err
			}
			if !exists(t, other, name) {
				t.Errorf("%s is not visible", name)
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestNobodyIsAnsweredBeforeTheCommit(t *testing.T) {
	w := newWorld(t, "")
	other := second(t, w)
	h := hold(t, w)
	early := h.add(t.Context(), put("early"))
	h.add(t.Context(), func(ctx context.Context, q Querier) error {
		// The early one has run, in the same transaction.
		var n int
		if err := q.QueryRowContext(ctx, `SELECT count(*) FROM items WHERE id = 'early'`).Scan(&n); err != nil {
			return err
		}
		if n != 1 {
			t.Error("the early write is not in the group")
		}
		if exists(t, other, "early") {
			t.Error("the early write is visible before the commit")
		}
		if len(early) != 0 {
			t.Error("the early write returned before the commit")
		}
		return nil
	})
	if errs := h.release(); count(errs) != 3 {
		t.Error(errors.Join(errs...))
	}
}

func TestAWriteCancelledBeforeItsTurnIsNotRun(t *testing.T) {
	w := newWorld(t, "")
	never := func(context.Context, Querier) error {
		t.Error("it was run")
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	h := hold(t, w)
	queued := h.add(ctx, never)
	h.add(t.Context(), put("behind it"))
	cancel()
	if err := <-queued; !errors.Is(err, context.Canceled) {
		t.Errorf("the queued write got %v", err)
	}
	h.waiting = h.waiting[1:]
	if errs := h.release(); count(errs) != 2 {
		t.Error(errors.Join(errs...))
	}
	for range 100 {
		if err := w.Write(ctx, never); !errors.Is(err, context.Canceled) {
			t.Fatalf("a write with a cancelled context got %v", err)
		}
	}
}

func TestAWriteCancelledOnceBegunIsCommitted(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	err := w.Write(ctx, func(inner context.Context, q Querier) error {
		cancel()
		return put("begun")(inner, q)
	})
	if err != nil || !exists(t, second(t, w), "begun") {
		t.Errorf("error is %v", err)
	}
}

func TestAFullQueueMakesWritersWait(t *testing.T) {
	w := newWorld(t, "")
	h := hold(t, w)
	for i := range cap(queueOf(w).jobs) {
		h.add(t.Context(), put(numbered("row", i)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	late := make(chan error, 2)
	go func() {
		late <- w.Write(ctx, func(context.Context, Querier) error {
			t.Error("the cancelled write was run")
			return nil
		})
	}()
	cancel()
	if err := <-late; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled write got %v", err)
	}
	go func() { late <- w.Write(t.Context(), put("late")) }()
	if errs := h.release(); count(errs) != len(errs) {
		t.Error(errors.Join(errs...))
	}
	if err := <-late; err != nil {
		t.Errorf("the late write got %v", err)
	}
}

func TestClosingCommitsWhatIsQueued(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), testConfig(dir, ""))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{DB: d, t: t, dir: dir}
	h := hold(t, w)
	for i := range 50 {
		h.add(t.Context(), put(numbered("row", i)))
	}
	closed := make(chan error)
	go func() { closed <- d.Close() }()
	await(func() bool {
		queueOf(w).mu.RLock()
		defer queueOf(w).mu.RUnlock()
		return queueOf(w).closed
	})
	if err := d.Write(t.Context(), put("too late")); !errors.Is(err, errClosed) {
		t.Errorf("a write after the close got %v", err)
	}
	if errs := h.release(); count(errs) != 51 {
		t.Error(errors.Join(errs...))
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	other := second(t, w)
	if !exists(t, other, "first") || !exists(t, other, "row 49") || exists(t, other, "too late") {
		t.Error("the rows are not those that were acknowledged")
	}
}

func TestClosingUnderLoadKeepsWhatWasAcknowledged(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), testConfig(dir, ""))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	stored := map[string]bool{}
	enough := make(chan struct{})
	writing := make(chan []error)
	go func() {
		writing <- parallel(16, func(i int) error {
			for j := 0; ; j++ {
				name := numbered(numbered("row", i), j)
				if err := d.Write(context.Background(), put(name)); err != nil {
					return err
				}
				mu.Lock()
				stored[name] = true
				if len(stored) == 200 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}()
	<-enough
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, err := range <-writing {
		if !errors.Is(err, errClosed) {
			t.Errorf("a writer ended with %v", err)
		}
	}
	other := second(t, &world{dir: dir})
	var n int
	if err := other.QueryRow(`SELECT count(*) FROM items`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != len(stored) {
		t.Errorf("%d rows, %d acknowledged", n, len(stored))
	}
}

func TestLongWorkSharesItsTransactionWithNobody(t *testing.T) {
	w := newWorld(t, "")
	h := hold(t, w)
	before := commits(t, w)
	h.add(t.Context(), put("row 1"))
	alone := func(do Func) {
		result := make(chan error, 1)
		go func() { result <- w.WriteAlone(t.Context(), do) }()
		h.waiting = append(h.waiting, result)
		await(func() bool { return len(queueOf(w).jobs) == len(h.waiting) })
	}
	alone(put("alone 1"))
	alone(put("alone 2"))
	h.add(t.Context(), put("row 2"))
	alone(func(ctx context.Context, q Querier) error {
		if err := put("half")(ctx, q); err != nil {
			return err
		}
		panic("out of order")
	})
	h.add(t.Context(), put("row 3"))
	errs := h.release()
	if count(errs) != 6 || errs[4] == nil {
		t.Error(errs)
	}
	// The first two together, two alone, row 2, and row 3 after the one that failed.
	if n := commits(t, w) - before; n != 5 {
		t.Errorf("%d commits", n)
	}
	if n := number(t, w.DB, `SELECT count(*) FROM items`); n != 6 {
		t.Errorf("%d rows", n)
	}
}

// onCancelSelf is called by the SQL function cancel_self, by which a statement cancels its own
// context. An interrupt from outside has no effect if it comes before the statement runs.
var onCancelSelf atomic.Pointer[context.CancelFunc]

func cancelSelf(*sqlitedriver.FunctionContext, []driver.Value) (driver.Value, error) {
	(*onCancelSelf.Load())()
	return "", nil
}

// After an error that ends the whole transaction, a write is stored exactly if its caller got
// no error, and the writer keeps working.
func TestAnErrorThatEndsTheTransactionIsToldToAll(t *testing.T) {
	for name, fault := range map[string]Func{
		"disk full": func(ctx context.Context, q Querier) error {
			var limit int64 // it can't go below the size that there is
			if err := q.QueryRowContext(ctx, `PRAGMA max_page_count = 1`).Scan(&limit); err != nil {
				return err
			}
			_, err := q.ExecContext(ctx, `INSERT INTO items (id) VALUES (hex(zeroblob(1000000)))`)
			return err
		},
		"interrupted": func(ctx context.Context, q Querier) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			onCancelSelf.Store(&cancel)
			_, err := q.ExecContext(ctx, `
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
				INSERT INTO items (id) SELECT 'endless ' || i || cancel_self() FROM n`)
			return err
		},
		"constraint at commit": func(ctx context.Context, q Querier) error {
			if _, err := q.ExecContext(ctx, `PRAGMA defer_foreign_keys = 1`); err != nil {
				return err
			}
			_, err := q.ExecContext(ctx, `INSERT INTO parts (item_id) VALUES ('none')`)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			h := hold(t, w)
			h.add(t.Context(), put("before"))
			h.add(t.Context(), func(ctx context.Context, q Querier) error {
				if err := put("fault")(ctx, q); err != nil {
					return err
				}
				return fault(ctx, q)
			})
			h.add(t.Context(), put("after"))
			errs := h.release()
			if errs[1] == nil {
				t.Error("the faulty write was acknowledged")
			}
			w.must(w.Write(t.Context(), func(ctx context.Context, q Querier) error {
				var limit int64
				return q.QueryRowContext(ctx, `PRAGMA max_page_count = 1000000`).Scan(&limit)
			}))
			w.must(w.Write(t.Context(), put("later")))
			other := second(t, w)
			for i, row := range []string{"before", "fault", "after", "first"} {
				if exists(t, other, row) != (errs[i] == nil) {
					t.Errorf("%s: there is %v, told %v", row, exists(t, other, row), errs[i])
				}
			}
			if !exists(t, other, "later") {
				t.Error("the writer did not go on")
			}
		})
	}
}
