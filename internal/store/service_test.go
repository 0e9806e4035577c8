package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/account"
	"parley/internal/ai"
	"parley/internal/ai/builtin"
	"parley/internal/app"
	"parley/internal/blob"
	"parley/internal/chat/turn"
	"parley/internal/config"
	"parley/internal/db"
	"parley/internal/extract"
	"parley/internal/extract/sandbox"
	"parley/internal/library"
	"parley/internal/store"
)

// service is the whole service, on a database and a blob store that can fail.
type service struct {
	*testing.T
	dir, databaseURL string
	users            int

	url      string
	database *store.Store
	// background starts the background loops, until rest is called. Without them commits
	// can be counted.
	background func() (rest func())
	stop       func()

	commits, blobs   atomic.Int64 // so far
	atCommit, atBlob atomic.Pointer[failpoint]
}

const (
	requestTimeout = 20 * time.Second
	maxUpload      = 1 << 20
)

func (s *service) start() {
	s.Helper()
	log := slog.New(slog.DiscardHandler)
	engine, err := db.Open(s.Context(), store.Config(s.dir, s.databaseURL))
	s.must(err)
	engine.Wrap(func(e db.Engine) db.Engine { return faultyDB{e, s} })
	database := store.New(engine)
	s.database = database
	kept, err := blob.Open(s.Context(), filepath.Join(s.dir, "files"), "")
	s.must(err)
	settings := &config.Settings{
		HTTP:     config.HTTP{RequestTimeout: requestTimeout, CORSOrigins: []string{"*"}},
		Accounts: config.Accounts{TokenTTL: time.Hour},
		Store:    config.Store{Data: s.dir},
		Files:    config.Files{MaxUpload: maxUpload, MaxImport: maxUpload},
		Live:     config.Live{Values: parley.DefaultSettings()},
	}
	// Nobody reaches the quota, but it is checked.
	settings.Live.Values.Quota = parley.Quota{Messages: 1_000_000, Tokens: 1_000_000_000}
	running, err := app.New(s.Context(), app.Config{
		Settings: settings, Database: database, Blobs: faultyBlobs{kept, s}, Log: log, Audit: log, Now: time.Now,
		Models: ai.Offers{
			{Name: "default", Model: builtin.New(), ContextTokens: 32000},
			{Name: parley.ModelBasic, Model: mute{}, ContextTokens: 32000},
		}.Fixed,
		Readers: sandbox.Inline{
			Reader: extract.Reader{MaxText: maxUpload, MaxUnpacked: maxUpload}, Index: library.Index,
		},
		Change: app.Change{
			Accounts: func(c *account.Config) { c.HashMemory = 64 },
			Turns:    func(c *turn.Config) { c.Lease = time.Second },
		},
	})
	s.must(err)
	server := httptest.NewServer(running.Handler)
	s.url = server.URL
	s.background = func() func() {
		var all sync.WaitGroup
		working, rest := context.WithCancel(context.Background())
		all.Go(func() { running.Run(working) })
		return func() {
			rest()
			all.Wait()
		}
	}
	s.stop = sync.OnceFunc(func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		running.Drain(now)
		server.Close()
		running.Wait()
		s.must(errors.Join(database.Close(), kept.Close()))
	})
	s.Cleanup(s.stop)
}

// mute is a model that fails.
type mute struct{}

func (mute) Reply(context.Context, *ai.Prompt, func(ai.Chunk)) error { return errFault }

// restart stops the service and starts it again on the same data.
func (s *service) restart() {
	s.Helper()
	s.stop()
	s.start()
}

func (s *service) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// faultyDB is a database that can fail before and after each commit.
type faultyDB struct {
	db.Engine
	s *service
}

func (f faultyDB) before() error { return f.s.atCommit.Load().pass(true) }

func (f faultyDB) after() error {
	f.s.commits.Add(1)
	return f.s.atCommit.Load().pass(false)
}

func (f faultyDB) Write(ctx context.Context, do db.Func) error {
	err := f.Engine.Write(ctx, func(ctx context.Context, q db.Querier) error {
		if err := do(ctx, q); err != nil {
			return err
		}
		return f.before()
	})
	if err != nil {
		return err
	}
	return f.after()
}

// Change fails in a last step, so that those before it are rolled back.
func (f faultyDB) Change(ctx context.Context, steps []db.Step) error {
	if err := recovered(f.before); err != nil {
		steps = append(steps[:len(steps):len(steps)], db.Require(err, `DELETE FROM owners WHERE id = 'nobody'`))
	}
	if err := f.Engine.Change(ctx, steps); err != nil {
		return err
	}
	return f.after()
}

// recovered turns a panic into an error.
func recovered(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}

// faultyBlobs is a blob store that can fail before and after each write.
type faultyBlobs struct {
	blob.Store
	s *service
}

func (f faultyBlobs) Put(ctx context.Context, key string, r io.Reader) (n int64, err error) {
	err = f.write(func() error { n, err = f.Store.Put(ctx, key, r); return err })
	return n, err
}

func (f faultyBlobs) Keep(
	ctx context.Context, key string, r io.Reader,
) (kept io.ReadSeekCloser, n int64, err error) {
	err = f.write(func() error { kept, n, err = f.Store.Keep(ctx, key, r); return err })
	return kept, n, err
}

func (f faultyBlobs) Delete(ctx context.Context, key string) error {
	return f.write(func() error { return f.Store.Delete(ctx, key) })
}

func (f faultyBlobs) write(do func() error) error {
	f.s.blobs.Add(1)
	if err := f.s.atBlob.Load().pass(true); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return f.s.atBlob.Load().pass(false)
}
