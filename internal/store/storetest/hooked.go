package storetest

import (
	"context"
	"sync/atomic"
	"testing"

	"parley/internal/db"
	"parley/internal/store"
)

// Hooked is a database. A test can delay its next change, make it fail, or follow it with something else.
type Hooked struct {
	db.Engine
	hook atomic.Pointer[Hook]
}

// Hook is called instead of a change. It may call change, and returns the result.
type Hook func(ctx context.Context, change func(context.Context) error) error

// OpenHooked opens the store at a URL, or in a folder if there is none, until the test ends.
func OpenHooked(t testing.TB, dir, databaseURL string) (*store.Store, *Hooked) {
	t.Helper()
	Prepare(t, dir, databaseURL)
	database, err := db.Open(t.Context(), store.Config(dir, databaseURL))
	must(t, err)
	t.Cleanup(func() { must(t, database.Close()) })
	h := &Hooked{}
	database.Wrap(func(engine db.Engine) db.Engine {
		h.Engine = engine
		return h
	})
	return store.New(database), h
}

// Next sets the hook of the next change.
func (h *Hooked) Next(hook Hook) { h.hook.Store(&hook) }

// Change implements db.Engine.
func (h *Hooked) Change(ctx context.Context, steps []db.Step) error {
	change := func(ctx context.Context) error { return h.Engine.Change(ctx, steps) }
	if hook := h.hook.Swap(nil); hook != nil {
		return (*hook)(ctx, change)
	}
	return change(ctx)
}
