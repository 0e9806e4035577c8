package storetest

import (
	"context"
	"sync/atomic"
	"testing"

	"parley/internal/db"
	"parley/internal/store"
)

// Silence is a database that at times does not respond: a read or change hangs until its context ends.
type Silence struct {
	db.Engine
	silent atomic.Bool
	hung   atomic.Int64
}

// OpenSilent opens a store on SQLite in a folder, until the test ends. Its database can be made silent.
func OpenSilent(t testing.TB, dir string) (*store.Store, *Silence) {
	t.Helper()
	Prepare(t, dir, "")
	database, err := db.Open(t.Context(), store.Config(dir, ""))
	must(t, err)
	t.Cleanup(func() { must(t, database.Close()) })
	s := &Silence{}
	database.Wrap(func(engine db.Engine) db.Engine {
		s.Engine = engine
		return s
	})
	return store.New(database), s
}

// Begin makes the database silent.
func (s *Silence) Begin() { s.silent.Store(true) }

// End makes it respond again. What hangs already still hangs.
func (s *Silence) End() { s.silent.Store(false) }

// Hung returns how many operations did not get a response.
func (s *Silence) Hung() int64 { return s.hung.Load() }

func (s *Silence) respond(ctx context.Context) error {
	if !s.silent.Load() {
		return nil
	}
	s.hung.Add(1)
	<-ctx.Done()
	return ctx.Err()
}

// Change implements db.Engine.
func (s *Silence) Change(ctx context.Context, steps []db.Step) error {
	if err := s.respond(ctx); err != nil {
		return err
	}
	return s.Engine.Change(ctx, steps)
}

// Read implements db.Engine.
func (s *Silence) Read(ctx context.Context, do db.Func) error {
	if err := s.respond(ctx); err != nil {
		return err
	}
	return s.Engine.Read(ctx, do)
}
