package responses

import (
	"context"
	"time"
)

const (
	sweepInterval = time.Minute
	sweepTimeout  = 30 * time.Second
	sweepBatch    = 100
)

// Run deletes responses that have expired, now and every minute, until ctx ends. None can be read meanwhile.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "delete expired responses", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Service) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	for {
		more, err := s.store.SweepResponses(ctx, s.now(), sweepBatch)
		if err != nil || !more {
			return err
		}
	}
}
