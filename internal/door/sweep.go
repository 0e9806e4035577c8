package door

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
func (d *Door) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		if err := d.sweep(ctx); err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "delete expired responses", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (d *Door) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	for {
		more, err := d.store.SweepResponses(ctx, d.now(), sweepBatch)
		if err != nil || !more {
			return err
		}
	}
}
