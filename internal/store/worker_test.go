package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/testdb"
)

// fate is what the store has said about an account.
type fate int

const (
	unsure fate = iota // the last request about it has failed
	created
	deleted
)

// registry creates and deletes accounts until stop is closed.
type registry struct {
	*world
	stop         chan struct{}
	done, failed atomic.Int64

	mu    sync.Mutex
	fates map[string]fate // by address
}

// run creates accounts, and deletes every other one.
func (r *registry) run(name int) {
	for n := 0; ; n++ {
		select {
		case <-r.stop:
			return
		default:
		}
		email := fmt.Sprintf("%d-%d@example.com", name, n)
		userID, err := r.create(email)
		r.set(email, created, err)
		if err == nil && n%2 == 0 {
			err = r.within(func(ctx context.Context) error { return r.DeleteUser(ctx, userID, email) })
			r.set(email, deleted, err)
		}
	}
}

func (r *registry) create(email string) (userID int64, err error) {
	user := NewUser{Email: email, EmailKey: email, Nickname: "Ada", PasswordHash: usersHash}
	token := NewToken{ID: "login", Now: r.now, Expires: r.now.Add(time.Hour)}
	err = r.within(func(ctx context.Context) (err error) {
		userID, err = r.CreateUser(ctx, user, token)
		return err
	})
	return userID, err
}

// within runs do with a deadline: rows of a transaction in doubt are locked.
func (r *registry) within(do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	return do(ctx)
}

func (r *registry) set(email string, to fate, err error) {
	if err != nil {
		to = unsure
		r.failed.Add(1)
	} else {
		r.done.Add(1)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fates[email] = to
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	const limit = 10 * time.Minute // for a machine many times slower
	tick, end := time.NewTicker(50*time.Millisecond), time.After(limit)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("not so after %v: %s", limit, what)
		}
	}
}

// recovered commits or rolls back the transactions that were not committed on all nodes, as Citus does each minute, and
// reports whether none is left. After a worker comes back, the first connections to it may fail.
func (w *world) recovered() bool {
	_, err := db.ReadOne[int64](w.t.Context(), w.db, `SELECT recover_prepared_transactions()`)
	if err != nil {
		return false
	}
	left, err := db.ReadOne[int64](w.t.Context(), w.db, `
		SELECT sum(result::bigint) FROM run_command_on_workers(
		    'SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()')`)
	return err == nil && left == 0
}

// TestAWorkerThatDiesLeavesNoHalfAccounts kills a worker while accounts are created and
// deleted, which are transactions of two shards. Once it is back, each account is there with
// its address or gone with it, and what was acknowledged is so.
func TestAWorkerThatDiesLeavesNoHalfAccounts(t *testing.T) {
	worker := testdb.CitusWorker(t)
	w := newWorld(t, testdb.Postgres(t))
	r := &registry{world: w, stop: make(chan struct{}), fates: map[string]fate{}}
	var running sync.WaitGroup
	for name := range 8 {
		running.Go(func() { r.run(name) })
	}
	defer running.Wait()
	end := sync.OnceFunc(func() { close(r.stop) })
	defer end()

	for round := range 3 {
		done := r.done.Load()
		until(t, "accounts are created and deleted", func() bool { return r.done.Load() > done+50 })
		worker.Stop(t)
		done, failed := r.done.Load(), r.failed.Load()
		until(t, "some fail, others don't", func() bool { return r.failed.Load() > failed+20 && r.done.Load() > done+5 })
		worker.Start(t)
		until(t, "transactions in doubt are recovered", w.recovered)
		t.Logf("round %d: %d were done, %d have failed", round, r.done.Load(), r.failed.Load())
	}
	end()
	running.Wait()
	until(t, "the last ones in doubt are recovered", w.recovered)
	r.check()
}

// check compares the accounts with what was acknowledged.
func (r *registry) check() {
	r.t.Helper()
	users := r.list(`SELECT email FROM users`)
	addresses := r.list(`SELECT email_key FROM emails`)
	if !slices.Equal(users, addresses) {
		r.t.Errorf("%d accounts and %d addresses differ", len(users), len(addresses))
	}
	for _, email := range slices.Sorted(maps.Keys(r.fates)) {
		_, exists := slices.BinarySearch(users, email)
		switch fate := r.fates[email]; {
		case fate == created && !exists:
			r.t.Errorf("the account %s is lost", email)
		case fate == deleted && exists:
			r.t.Errorf("the account %s is there again", email)
		case fate == unsure:
			if _, err := r.create(email); exists != errors.Is(err, parley.ErrEmailTaken) || !exists && err != nil {
				r.t.Errorf("%s exists: %v, then %v", email, exists, err)
			}
		}
	}
}

// list returns sorted texts.
func (r *registry) list(query string) []string {
	r.t.Helper()
	texts, err := db.ReadList(r.t.Context(), r.db, db.ScanOne[string], query)
	r.must(err)
	slices.Sort(texts)
	return texts
}
