package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// A process that makes replies holds a lease in the database and renews it. Whoever
// finds open turns whose owner's lease has run out makes their replies anew.
const (
	lease      = 10 * time.Second
	renewEvery = 3 * time.Second
	// adoptMost bounds how many turns are taken over at a time, so that replicas share them.
	adoptMost = 64
	// saveEvery is how often the text so far is stored for other replicas.
	saveEvery = time.Second
	// keepFor is how long failed outcomes and idempotency keys are kept.
	keepFor     = 24 * time.Hour
	forgetEvery = time.Hour
)

// Run does what has to be done all the time, until ctx ends: hold the lease, take over
// turns of dead processes, show replies to other replicas, forget what is old.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.every(ctx, renewEvery, nil, s.beat) })
	all.Go(func() { s.every(ctx, saveEvery, s.look, s.showProgress) })
	all.Go(func() {
		s.every(ctx, forgetEvery, nil, func(ctx context.Context) error { return s.Store.Forget(ctx, s.Now().Add(-keepFor)) })
	})
	all.Go(func() { s.runNews(ctx) })
	all.Wait()
}

// every does something now, at each interval, and when asked.
func (s *Service) every(ctx context.Context, interval time.Duration, asked <-chan struct{}, do func(context.Context) error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error("in the background", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-asked:
		}
	}
}

// beat renews the lease and takes over what is left behind.
func (s *Service) beat(ctx context.Context) error {
	alive, err := s.Store.RenewLease(ctx, s.owner, lease)
	if err != nil {
		return err
	}
	s.news.havePeers(alive > 1)
	taken, err := s.Store.TakeOver(ctx, s.owner, adoptMost)
	if err != nil {
		return err
	}
	for _, open := range taken {
		t, err := s.reopened(ctx, open)
		if errors.Is(err, parley.ErrNoSuchMessage) {
			continue // cleared or deleted meanwhile
		}
		if err != nil {
			return err // still ours: its lease is renewed, so it waits for a restart
		}
		s.Log.Info("finishing a reply that another process began", "session", t.SessionID, "attempt", t.Attempt)
		t.adopted = true
		if s.launch(t) {
			s.news.tell(store.TurnChanged, t.ReplyID)
		}
	}
	return nil
}

// showProgress stores how far the live replies have come, and ends those that are
// stopped, or ours no longer.
func (s *Service) showProgress(ctx context.Context) error {
	s.mu.Lock()
	live := make([]*turn, 0, len(s.live))
	for _, t := range s.live {
		live = append(live, t)
	}
	s.mu.Unlock()
	if len(live) == 0 {
		return nil
	}
	progress := make([]store.Progress, len(live))
	fresh := make([]bool, len(live))
	for i, t := range live {
		progress[i], fresh[i] = t.progress()
	}
	standings, err := s.Store.SaveProgress(ctx, s.owner, progress)
	if err != nil {
		return err
	}
	for i, t := range live {
		switch {
		case standings[i] == store.Stopped:
			t.end(errStopped)
		case standings[i] == store.Lost:
			t.end(errMoved)
		case fresh[i]:
			s.news.tell(store.TurnChanged, t.ReplyID)
		}
	}
	return nil
}

// Drain waits for the replies being made, until ctx ends. What is not complete by
// then is left to another process.
func (s *Service) Drain(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.giveUp(errShutdown)
	<-done
	if err := s.Store.DropLease(context.WithoutCancel(ctx), s.owner); err != nil {
		s.Log.Error("give up the lease on open replies", "error", err)
	}
}
