package chat

import (
	"context"
	"sync"
	"time"

	"parley/internal/store"
)

const (
	// adoptMost bounds how many turns are taken over at a time, so that replicas share them.
	adoptMost = 64
	// saveEvery is how often the text so far is stored for other replicas.
	saveEvery = time.Second
	// keepFor is how long failed outcomes and idempotency keys are kept.
	keepFor     = 24 * time.Hour
	forgetEvery = time.Hour
)

// Join takes the lease that Run then renews. A turn that is begun without one looks like
// that of a process that has died, and others take it over.
func (s *Service) Join(ctx context.Context) error {
	_, err := s.Store.RenewLease(ctx, s.owner, s.Lease)
	return err
}

// Run does what has to be done all the time, until ctx ends: hold the lease, take over
// turns of dead processes, show replies to other replicas, forget what is old.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.every(ctx, s.Lease*3/10, s.more, s.beat) })
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

// beat renews the lease and takes over what is left behind: a process that makes
// replies holds a lease in the database, and whoever finds open turns whose owner's
// lease has run out makes their replies anew.
func (s *Service) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.Lease)
	defer cancel()
	s.lease.Lock()
	defer s.lease.Unlock()
	if s.gone {
		return nil
	}
	alive, err := s.Store.RenewLease(ctx, s.owner, s.Lease)
	if err != nil {
		return err
	}
	s.news.havePeers(alive > 1)
	if s.isDraining() {
		return nil
	}
	if err := s.disownStrays(ctx); err != nil {
		return err
	}
	taken, err := s.Store.TakeOver(ctx, s.owner, adoptMost)
	if err != nil {
		return err
	}
	for _, open := range taken {
		s.adopt(open)
	}
	if len(taken) == adoptMost {
		ask(s.more)
	}
	return nil
}

// adopt makes a reply that another process has begun.
func (s *Service) adopt(open store.OpenTurn) {
	s.Log.Info("making a reply that another process has begun", "session", open.SessionID, "attempt", open.Attempt)
	t := s.newTurn(s.ctx, open)
	t.adopted = true
	if open.Stopped {
		t.end(errStopped)
	}
	if s.launch(t, false) {
		s.news.tell(store.TurnChanged, t.ReplyID)
	}
}

// disownStrays lets go of replies that are open in our name but not live, so that they
// are taken over like those of the dead: the database did not answer when one was
// opened or ended. One that is seen once may be about to live, or just over.
func (s *Service) disownStrays(ctx context.Context) error {
	open, err := s.Store.OpenReplies(ctx, s.owner)
	if err != nil {
		return err
	}
	before := s.strays
	s.strays = map[string]bool{}
	for _, replyID := range open {
		switch {
		case s.liveTurn(replyID) != nil:
		case !before[replyID]:
			s.strays[replyID] = true
		default:
			if err := s.Store.Disown(ctx, s.owner, replyID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// ask makes a request of somebody who looks at it when there is time.
func ask(wish chan<- struct{}) {
	select {
	case wish <- struct{}{}:
	default:
	}
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
	for i, t := range live {
		progress[i] = t.progress()
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
		case progress[i].Fresh:
			t.shown(progress[i])
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
	s.dropLease()
}

func (s *Service) dropLease() {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	s.lease.Lock()
	defer s.lease.Unlock()
	s.gone = true
	if err := s.Store.DropLease(ctx, s.owner); err != nil {
		s.Log.Error("give up the lease on open replies", "error", err)
	}
}
