package torture

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/internal/testdb"
)

const (
	// actsEvery is the pace of each user: together they do 120 things a second.
	actsEvery = 100 * time.Millisecond
	// fewActs is how many things each does in the short form, as fast as it can.
	fewActs = 50
	// noise is what may be open at rest besides what was: connections to the model and
	// the database, which are kept for a while.
	noise = 30
)

// TestMixedLoadLeavesNothingBehind has users at work for a while. What the server
// takes for it has to stay the same in a long run, and to be given back in the end; no
// request may fail. `make soak` asks for SOAK_MINUTES; without them the run is too
// short to tell growth, and only what is left behind counts.
//
// Users delete about as much as they create, so the data does not grow but for the
// keys of sends, which the server keeps for a day.
func TestMixedLoadLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		t.Parallel()
		s := newSoak(t, databaseURL)
		s.act(acts(fewActs)) // all that the server opens once, and all code, was used
		before := s.rest()
		s.begun = time.Now()
		if minutes := setting(t, "SOAK_MINUTES", 0); minutes > 0 {
			s.actFor(time.Duration(minutes) * time.Minute)
		} else {
			s.act(acts(fewActs))
		}
		s.verify(true)
		s.wantsBack(before)
		s.audit()
		s.wantsNoFault()
		if len(s.samples) > 0 {
			t.Logf("%d changes acknowledged; by the minute:\n%s", s.acked.Load(), table(s.samples))
			for _, growth := range grown(s.samples) {
				t.Error(growth)
			}
		}
	})
}

// soak is a world in which nobody is killed.
type soak struct {
	*world
	http    *http.Client
	begun   time.Time
	samples []sample
}

func newSoak(t *testing.T, databaseURL string) *soak {
	s := &soak{world: newWorld(t, databaseURL), http: &http.Client{Transport: &http.Transport{}}}
	s.restart(false)
	for _, a := range s.actors {
		a.client = client.New(s.server.url, client.WithHTTPClient(s.http))
		must(t, a.register(t.Context()))
	}
	return s
}

// acts lets each user do so many things.
func acts(count int) func() (enough func() bool) {
	return func() func() bool {
		done := 0
		return func() bool { done++; return done > count }
	}
}

// act has all users at work until each has enough.
func (s *soak) act(each func() (enough func() bool)) {
	s.Helper()
	<-s.begin(each)
	if s.Failed() {
		s.Fatalf("the log:\n%s", s.server.said())
	}
}

// begin has all users at work, and says when the last one has enough or has met a
// fault.
func (s *soak) begin(each func() (enough func() bool)) <-chan struct{} {
	var all sync.WaitGroup
	for _, a := range s.actors {
		all.Go(func() {
			if err := a.live(s.Context(), everything, each()); err != nil {
				s.Error(err)
			}
		})
	}
	over := make(chan struct{})
	go func() {
		all.Wait()
		close(over)
	}()
	return over
}

// actFor has all users at work for so long, at their pace, and watches the server.
func (s *soak) actFor(d time.Duration) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), d)
	defer cancel()
	over := s.begin(func() func() bool {
		next := time.NewTicker(actsEvery)
		return func() bool {
			select {
			case <-next.C:
			case <-ctx.Done():
				next.Stop()
			}
			return ctx.Err() != nil || s.Failed()
		}
	})
	look := time.NewTicker(sampleEvery)
	defer look.Stop()
	for said := 0; ; {
		select {
		case <-look.C:
			if time.Since(s.begun) >= d {
				continue // they are leaving
			}
			s.model.Forget()
			s.samples = append(s.samples, s.sample())
			if tenth := int(10 * time.Since(s.begun) / d); tenth > said {
				said = tenth
				s.Logf("%d %% of the time, %d changes acknowledged; %s", 10*tenth, s.acked.Load(), s.samples[len(s.samples)-1])
			}
		case <-over:
			if s.Failed() {
				s.Fatalf("the log:\n%s", s.server.said())
			}
			return
		}
	}
}

// rest waits until the server has nothing to do and has closed what it will.
func (s *soak) rest() sample {
	s.Helper()
	const calm = 10 // looks in which nothing more was closed
	s.http.CloseIdleConnections()
	least := s.sample()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for same := 0; same < calm; {
		<-look.C
		now := s.sample()
		if same++; now.goroutines < least.goroutines || now.descriptors < least.descriptors || now.busy > 0 {
			least, same = now, 0
		}
	}
	return least
}

// wantsBack waits until the server has given back what it took for the load.
func (s *soak) wantsBack(before sample) {
	s.Helper()
	s.http.CloseIdleConnections()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	deadline := time.After(patience)
	for {
		now := s.sample()
		if now.goroutines <= before.goroutines+noise && now.descriptors <= before.descriptors+noise && now.busy == 0 {
			s.Logf("at rest before: %s; after: %s", before, now)
			return
		}
		select {
		case <-look.C:
		case <-deadline:
			s.Errorf("not given back in %v: before: %s; after: %s", patience, before, now)
			return
		}
	}
}

// wantsNoFault makes sure that the server has met none, whatever its callers saw.
func (s *soak) wantsNoFault() {
	s.Helper()
	for name := range s.figures() {
		if strings.Contains(name, `status="5`) {
			s.Errorf("the server has answered with %s", name)
		}
	}
	if log := s.server.said(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		s.Errorf("the log has faults:\n%s", log)
	}
}
