package app

import (
	"context"
	"errors"
	"sync"

	"parley/internal/store"
)

// Run runs the background loops until ctx ends. The Sweeper is run apart: tests decide when it deletes sessions.
func (a *App) Run(ctx context.Context) {
	c := a.config
	var all sync.WaitGroup
	all.Go(func() { a.Live.Run(ctx) })
	if c.Connections != nil {
		all.Go(func() { c.Connections.Run(ctx) })
	}
	all.Go(func() { a.Turns.Run(ctx) })
	all.Go(func() { a.titler.Run(ctx) })
	all.Go(func() { a.stored.Run(ctx) })
	all.Go(func() { a.library.Run(ctx) })
	all.Go(func() { a.library.RunEmbedder(ctx) })
	all.Go(func() { a.imports.Run(ctx) })
	all.Go(func() { a.Accounts.Run(ctx) })
	all.Go(func() { c.Mail.Run(ctx) })
	all.Go(func() { a.chat.SweepShares(ctx, c.Log) })
	all.Go(func() { c.Database.Indexer(a.library.Documents(), c.Log).Run(ctx) })
	all.Go(func() { c.Database.RunShardCounts(ctx, c.Log, c.Now) })
	listener := c.Database.Listener(c.Log, func(signal store.Signal) {
		a.Turns.HandleSignal(signal)
		a.Accounts.HandleSignal(ctx, signal)
		a.Live.HandleSignal(ctx, signal)
		if c.Connections != nil {
			c.Connections.HandleSignal(ctx, signal)
		}
	})
	all.Go(func() { listener.Run(ctx) })
	all.Wait()
}

// Leave makes the server report that it is not ready.
func (a *App) Leave() { a.leaving.Store(true) }

// Leaving reports whether Leave was called.
func (a *App) Leaving() bool { return a.leaving.Load() }

func (a *App) ready(ctx context.Context) error {
	if a.Leaving() {
		return errors.New("shutting down")
	}
	return a.config.Database.Ping(ctx)
}

// Drain finishes replies and calls until ctx ends, then ends open streams. Replies that take longer are left to
// another process. Then the HTTP server can end, and after it Wait.
func (a *App) Drain(ctx context.Context) {
	var calls sync.WaitGroup
	calls.Go(func() { a.OpenAI.Drain(ctx) })
	a.Turns.Drain(ctx)
	calls.Wait()
	a.Stop()
}

// Stop ends open streams.
func (a *App) Stop() { a.stop() }

// Wait waits for the calls that went on without their clients. No request may be served any more.
func (a *App) Wait() { a.OpenAI.Wait() }
