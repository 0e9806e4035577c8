package importer

import (
	"context"
	"sync"
	"time"

	"parley/internal/store"
)

const (
	// workers is how many imports run at once in a process. With more than one, a large import does not block all others.
	workers = 2
	// pollInterval is how often a worker looks for imports of dead processes and of other replicas.
	pollInterval = 3 * time.Second
	// storeTimeout limits a change of the database.
	storeTimeout = time.Minute
)

// Run imports files until ctx ends. What is not finished is left to another process.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { s.work(ctx) })
	}
	all.Wait()
}

// work runs one import after the other.
func (s *Service) work(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if s.runNext(ctx) {
			continue
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-s.wake:
		}
	}
}

// runNext runs an import, if there is one. It returns false if there is no import, or if a database or a file failed
// and the next try should wait.
func (s *Service) runNext(ctx context.Context) bool {
	open, found, err := s.claim(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.Error("claim an import", "error", err)
	}
	if err != nil || !found {
		return false
	}
	defer s.release(open.ID)
	s.trigger() // the other worker may take the next one
	s.Log.Info("import", "import", open.ID, "bytes", open.Size, "from", open.Position)
	job := &job{Service: s, open: open}
	err = job.run(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.Error("import", "import", open.ID, "error", err)
	}
	return err == nil
}

// claim claims an import that this process does not run yet.
func (s *Service) claim(ctx context.Context) (store.OpenImport, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	open, found, err := s.Store.ClaimImport(ctx, s.Owner, func(importID string) bool { return s.running[importID] })
	if found {
		s.running[open.ID] = true
	}
	return open, found, err
}

func (s *Service) release(importID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, importID)
}
