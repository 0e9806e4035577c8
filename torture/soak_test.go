package torture

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/testdb"
)

const (
	// actionEvery is the pace of each user. Together they perform 120 actions per second.
	actionEvery = 100 * time.Millisecond
	// fewActions is the number of actions per user in the short form, without a pace.
	fewActions = 25
	// noise is the number of goroutines or descriptors by which the server at rest may
	// vary, such as idle connections to the model and the database.
	noise = 30
)

// TestMixedLoadLeavesNothingBehind puts a mixed load on the server. No request may fail,
// and the server must release its goroutines and descriptors at the end. With
// SOAK_MINUTES, which `make soak` sets, its resources must not grow over time either;
// without, the run is too short for that.
//
// Users delete about as much as they create. Only the idempotency keys accumulate, which
// the server keeps for a day.
func TestMixedLoadLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	testdb.EachParallel(t, func(t *testing.T, databaseURL string) {
		s := newSoak(t, databaseURL)
		s.act(times(fewActions)) // warm up: afterwards the server has opened what it keeps
		before := s.waitIdle()
		s.started = time.Now()
		if minutes := setting(t, "SOAK_MINUTES", 0); minutes > 0 {
			s.actFor(time.Duration(minutes) * time.Minute)
		} else {
			s.act(times(fewActions))
		}
		s.verify(true)
		s.waitReleased(before)
		s.audit()
		s.checkNoErrors()
		if len(s.samples) > 0 {
			t.Logf("%d changes acknowledged; by the minute:\n%s", s.acked.Load(), table(s.samples))
			for _, growth := range grown(s.samples) {
				t.Error(growth)
			}
		}
	})
}

// soak is a world without kills of the server.
type soak struct {
	*world
	started time.Time
	samples []sample
}

func newSoak(t *testing.T, databaseURL string) *soak {
	s := &soak{world: newWorld(t, databaseURL)}
	s.restart(false)
	for _, a := range s.actors {
		must(t, a.register(t.Context()))
	}
	return s
}

// times returns a condition for begin: each user has enough after count actions.
func times(count int) func() (enough func() bool) {
	return func() func() bool {
		done := 0
		return func() bool { done++; return done > count }
	}
}

// act makes all users act until each has enough.
func (s *soak) act(each func() (enough func() bool)) {
	s.Helper()
	<-s.begin(each)
	if s.Failed() {
		s.Fatalf("the log:\n%s", s.server.logged())
	}
}

// begin makes all users act. The channel is closed when all have enough or have failed.
func (s *soak) begin(each func() (enough func() bool)) <-chan struct{} {
	var all sync.WaitGroup
	for _, a := range s.actors {
		all.Go(func() {
			if err := a.act(s.Context(), everything, each()); err != nil {
				s.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	return done
}

// actFor makes all users act at their pace for a time, and takes samples of the server.
func (s *soak) actFor(d time.Duration) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), d)
	defer cancel()
	done := s.begin(func() func() bool {
		next := time.NewTicker(actionEvery)
		return func() bool {
			select {
			case <-next.C:
			case <-ctx.Done():
				next.Stop()
			}
			return ctx.Err() != nil || s.Failed()
		}
	})
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for logged := 0; ; {
		select {
		case <-tick.C:
			if time.Since(s.started) >= d {
				continue // the users are finishing
			}
			s.model.Forget()
			now := s.sample()
			s.samples = append(s.samples, now)
			if tenth := int(10 * time.Since(s.started) / d); tenth > logged {
				logged = tenth
				s.Logf("%d %% of the time, %d changes acknowledged; %s", 10*tenth, s.acked.Load(), now)
			}
		case <-done:
			if s.Failed() {
				s.Fatalf("the log:\n%s", s.server.logged())
			}
			return
		}
	}
}

// waitIdle waits until the server is idle and has closed what it does not keep.
func (s *soak) waitIdle() sample {
	s.Helper()
	const calm = 10 // samples in a row without a change
	s.server.http.CloseIdleConnections()
	least := s.sample()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for same := 0; same < calm; {
		<-tick.C
		now := s.sample()
		if same++; now.goroutines < least.goroutines || now.descriptors < least.descriptors || now.busy > 0 {
			least, same = now, 0
		}
	}
	return least
}

// waitReleased waits until the server has released the resources of the load.
func (s *soak) waitReleased(before sample) {
	s.Helper()
	s.server.http.CloseIdleConnections()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(waitLimit)
	for {
		now := s.sample()
		released := now.goroutines <= before.goroutines+noise && now.descriptors <= before.descriptors+noise
		if released && now.busy == 0 {
			s.Logf("at rest before: %s; after: %s", before, now)
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			s.Errorf("not released after %v: before: %s; after: %s", waitLimit, before, now)
			return
		}
	}
}

// checkNoErrors checks that the server has neither returned nor logged an error.
func (s *soak) checkNoErrors() {
	s.Helper()
	for name := range s.metrics() {
		if strings.Contains(name, `status="5`) {
			s.Errorf("the server has responded with %s", name)
		}
	}
	if log := s.server.logged(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		s.Errorf("the log has errors:\n%s", log)
	}
}
