package openaiapi

import (
	"context"
	"time"
)

const (
	sweepInterval = time.Minute
	sweepTimeout  = 30 * time.Second
	sweepBatch    = 100
)

// Run deletes stored responses that have expired, now and every minute, until ctx ends. None can be read meanwhile.
func (a *API) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		if err := a.sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "delete expired responses", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (a *API) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	for {
		more, err := a.store.SweepResponses(ctx, a.now(), sweepBatch)
		if err != nil || !more {
			return err
		}
	}
}
