package main

import (
	"context"
	"sync"
	"time"

	"parley/internal/store"
)

// background starts the loops that run until ctx ends.
func (s *server) background(ctx context.Context) *sync.WaitGroup {
	var all sync.WaitGroup
	all.Go(func() { s.live.Run(ctx) })
	all.Go(func() { s.turns.Run(ctx) })
	all.Go(func() { s.titler.Run(ctx) })
	all.Go(func() { s.models.run(ctx) })
	all.Go(func() { s.sweeper.Run(ctx) })
	all.Go(func() { s.stored.Run(ctx) })
	all.Go(func() { s.library.Run(ctx) })
	all.Go(func() { s.library.RunEmbedder(ctx) })
	all.Go(func() { s.imports.Run(ctx) })
	all.Go(func() { checkWalls(ctx, s.readers, s.log) })
	all.Go(func() { (&readerWarmup{pool: s.readers, log: s.log}).Run(ctx) })
	all.Go(func() { s.accounts.Run(ctx) })
	all.Go(func() { warnOfSignOn(ctx, s.signOn, s.log) })
	all.Go(func() { s.mail.Run(ctx) })
	all.Go(func() { s.chat.SweepShares(ctx, s.log) })
	all.Go(func() { s.database.Indexer(s.library.Documents(), s.log).Run(ctx) })
	all.Go(func() { s.database.RunShardCounts(ctx, s.log, time.Now) })
	if s.settings.HTTP.PprofAddr != "" {
		all.Go(func() { newProfileServer(s.settings.HTTP.PprofAddr, s.log).Run(ctx) })
	}
	if s.settings.HTTP.MetricsAddr != "" {
		all.Go(func() { newMetricsServer(s.settings.HTTP.MetricsAddr, s.metrics, s.log).Run(ctx) })
	}
	listener := s.database.Listener(s.log, func(signal store.Signal) {
		s.turns.HandleSignal(signal)
		s.accounts.HandleSignal(ctx, signal)
		s.live.HandleSignal(ctx, signal)
	})
	all.Go(func() { listener.Run(ctx) })
	return &all
}
