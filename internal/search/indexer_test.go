package search_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/db"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/testdb"
)

// await waits until the condition is true.
func await(condition func() bool) {
	for !condition() {
		runtime.Gosched()
	}
}

// parallel calls do n times at once and returns their errors.
func parallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func TestTheIndexerTakesUpWhatIsWrittenAndEndsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		w.session(user, "before it runs")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.Indexer(search.Documents{}, slog.New(slog.DiscardHandler)).Run(ctx)
		}()
		waiting := func() int64 { return w.count(`SELECT count(*) FROM search_queue`) }
		await(func() bool { return waiting() == 0 })
		w.say(user, w.session(user, "while it runs"), "q", "r")
		await(func() bool { return waiting() == 0 })
		if n := w.indexed(); n != 4 {
			t.Errorf("%d texts are in the index", n)
		}
		cancel()
		<-ended
	})
}

func TestIndexersOfTwoReplicasShareTheWork(t *testing.T) {
	url := testdb.Postgres(t)
	w := newWorld(t, url)
	other, err := db.Attach(t.Context(), store.Config("", url))
	w.must(err)
	defer other.Close()
	indexes := []*search.Index{w.index, search.New(other)}
	user := w.user()
	const count = search.BatchTexts + 40
	for i := range count {
		w.session(user, numbered("session", i))
	}
	w.must(parallel(6, func(i int) error {
		for {
			more, err := indexes[i%2].Update(t.Context())
			if err != nil || !more {
				return err
			}
		}
	}))
	if n := w.indexed(); n != count {
		t.Errorf("%d texts are in the index", n)
	}
}

func TestLongTextsAreIndexedFewAtATime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		long := strings.Repeat("长", search.BatchBytes/len("长")+1)
		for range 2 {
			w.say(user, session, long, "short")
		}
		for _, want := range []int64{1, 3, 4} {
			more, err := w.index.Update(t.Context())
			w.must(err)
			if n := w.indexed(); n != want || more != (want < 4) {
				t.Errorf("%d texts are in the index, want %d; more wait: %v", n, want, more)
			}
		}
	})
}

func TestTheIndexerRestsAfterEachTransaction(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		for range search.BlockFanout {
			w.session(user, "one block each")
			var rests []time.Duration
			_, err := w.index.UpdateAndRest(t.Context(), func(worked time.Duration) { rests = append(rests, worked) })
			w.must(err)
			merged := w.count(`SELECT count(*) FROM search_blocks`) == 1 && w.indexed() > 1
			if want := map[bool]int{false: 1, true: 2}[merged]; len(rests) != want || slices.Min(rests) <= 0 {
				t.Errorf("with %d texts indexed it rested %v, want %d times", w.indexed(), rests, want)
			}
		}
		if n := w.count(`SELECT count(*) FROM search_blocks`); n != 1 {
			t.Errorf("%d blocks: nothing was merged", n)
		}
	})
}

// A reply regenerated while the indexer reads its old text must not leave both in the index.
func TestARedoDuringTheIndexingIsIndexedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.user()
		session := w.session(user, "")
		w.say(user, session, "q", "text 0")
		for round := range 20 {
			turn, err := w.BeginTurn(t.Context(), store.NewTurn{UserID: user, SessionID: session, Owner: "owner", Redo: true})
			w.must(err)
			w.must(parallel(3, func(i int) error {
				if i == 0 {
					return w.FinishTurn(t.Context(), turn, numbered("text", round+1), parley.Details{})
				}
				_, err := w.index.Update(t.Context())
				return err
			}))
			w.audit()
		}
		w.update()
		if _, total := w.found(user, "text 20", parley.Page{Number: 1, Size: 1}); total != 1 {
			t.Error("the last text is not found")
		}
	})
}

// The first operation that finds the index damaged rebuilds it and succeeds.
func TestADamagedIndexMendsItself(t *testing.T) {
	for name, damage := range map[string]string{
		"names": `UPDATE search_blocks SET names = 'x'`,
		"pages": `UPDATE search_pages SET data = 'x'`,
	} {
		for first, meet := range map[string]func(w *world, user int64, session string){
			"a search": func(*world, int64, string) {},
			"a change": func(w *world, user int64, session string) {
				w.must(w.UpdateSession(w.t.Context(), user, session, store.SessionChange{Title: new("Ferries to Capri")}))
				w.update()
			},
			"a merge": func(w *world, user int64, _ string) {
				for i := range search.BlockFanout {
					w.session(user, numbered("train", i))
					w.update()
				}
			},
			"the doctor": func(w *world, _ int64, _ string) {
				if wrong, _, err := w.index.Check(w.t.Context(), 10); err != nil || wrong == 0 {
					w.t.Errorf("%d are wrong, %v", wrong, err)
				}
			},
		} {
			t.Run(name+"/"+first, func(t *testing.T) {
				each(t, func(t *testing.T, w *world) {
					user := w.user()
					session := w.session(user, "Ferries")
					w.say(user, session, "Which ferry?", "This ferry")
					w.update()
					w.run(damage)
					meet(w, user, session)
					for range 2 {
						titles, total := w.found(user, "this ferr", parley.Page{Number: 1, Size: 10})
						if total != 1 || len(titles) != 1 {
							t.Errorf("found %v of %d", titles, total)
						}
						w.update()
					}
				})
			})
		}
	}
}

// beside is a database that calls create before texts are queued again in a transaction.
type beside struct {
	db.Engine
	create func()
}

func (b *beside) Write(ctx context.Context, do db.Func) error {
	return b.Engine.Write(ctx, func(ctx context.Context, q db.Querier) error {
		return do(ctx, besideQuerier{q, b.create})
	})
}

type besideQuerier struct {
	db.Querier
	create func()
}

func (q besideQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if strings.HasPrefix(query, `INSERT INTO search_queue`) {
		q.create()
	}
	return q.Querier.ExecContext(ctx, query, args...)
}

// TestASessionIsCreatedWhileTheIndexIsRebuilt creates one after the queue was emptied and before it is filled. SQLite
// has one writer.
func TestASessionIsCreatedWhileTheIndexIsRebuilt(t *testing.T) {
	w := newWorld(t, testdb.Postgres(t))
	user := w.user()
	w.say(user, w.session(user, "before"), "q", "r")
	w.update()
	created := sync.OnceFunc(func() { w.session(user, "meanwhile") })
	w.database.Wrap(func(engine db.Engine) db.Engine { return &beside{engine, created} })
	w.must(w.index.Rebuild(t.Context(), func(int64) {}))
	if titles, _ := w.found(user, "meanwhile", parley.Page{Number: 1, Size: 10}); len(titles) != 1 {
		t.Errorf("found %v", titles)
	}
	if n := w.indexed(); n != 4 {
		t.Errorf("%d texts are in the index", n)
	}
}
