package main

import (
	"context"
	"sync"
)

// background starts the loops that run until ctx ends.
func (s *server) background(ctx context.Context) *sync.WaitGroup {
	var all sync.WaitGroup
	all.Go(func() { s.app.Run(ctx) })
	all.Go(func() { s.app.Sweeper.Run(ctx) })
	all.Go(func() { checkWalls(ctx, s.readers, s.log) })
	all.Go(func() { (&readerWarmup{pool: s.readers, log: s.log}).Run(ctx) })
	all.Go(func() { warnOfSignOn(ctx, s.signOn, s.log) })
	if s.settings.HTTP.PprofAddr != "" {
		all.Go(func() { newProfileServer(s.settings.HTTP.PprofAddr, s.log).Run(ctx) })
	}
	if s.settings.HTTP.MetricsAddr != "" {
		all.Go(func() { newMetricsServer(s.settings.HTTP.MetricsAddr, s.app.Metrics, s.log).Run(ctx) })
	}
	return &all
}
