package admin

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley"
)

// server returns a server. Its check gives a reason and counts its calls.
func server(reason *string, calls *atomic.Int64) *Server {
	return &Server{Check: func(context.Context) string {
		calls.Add(1)
		return *reason
	}}
}

// fixed returns a function that returns a value.
func fixed[T any](value T) func() T { return func() T { return value } }

func TestModelsAreReachableIfOneOfTheirServersIs(t *testing.T) {
	var calls atomic.Int64
	down, wrong, up, strange := parley.ReasonUnreachable, parley.ReasonKey, "", parley.ReasonUnlisted
	fourth := server(&strange, &calls)
	first, second, third := server(&down, &calls), server(&wrong, &calls), server(&up, &calls)
	s := NewOverview(OverviewConfig{Now: time.Now, Models: fixed([]Model{
		{Name: "default", Model: "a", Servers: []*Server{first, second}},
		{Name: "basic", Model: "b", Servers: []*Server{first, third}},
		{Name: "enhanced", Model: "c", Servers: []*Server{second, first}},
		{Name: "spare", Model: "built-in"},
		{Name: "strange", Model: "d", Servers: []*Server{first, fourth, second}},
		{Name: "other", Model: "e", Servers: []*Server{fourth, third}},
	})})
	want := []parley.ModelState{
		{Name: "default", Model: "a", Reason: parley.ReasonUnreachable},
		{Name: "basic", Model: "b", Reachable: true},
		{Name: "enhanced", Model: "c", Reason: parley.ReasonKey},
		{Name: "spare", Model: "built-in", Reachable: true},
		{Name: "strange", Model: "d", Reachable: true, Reason: parley.ReasonUnlisted},
		{Name: "other", Model: "e", Reachable: true},
	}
	if got := s.models.get(t.Context()); !reflect.DeepEqual(got, want) {
		t.Errorf("the models are %+v, want %+v", got, want)
	}
	if calls.Load() != 4 {
		t.Errorf("four servers were checked %d times", calls.Load())
	}
}

func TestChecksAreUsedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var models, searches atomic.Int64
		reason := ""
		s := NewOverview(OverviewConfig{
			Now:    time.Now,
			Models: fixed([]Model{{Name: "default", Servers: []*Server{server(&reason, &models)}}}),
			Search: fixed(Search{Provider: "searxng", Check: server(&reason, &searches).Check}),
		})
		check := func(wantModels, wantSearches int64) {
			t.Helper()
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					s.models.get(t.Context())
					s.search.get(t.Context())
				})
			}
			all.Wait()
			if models.Load() != wantModels || searches.Load() != wantSearches {
				t.Errorf("models were checked %d times, want %d; the search %d, want %d",
					models.Load(), wantModels, searches.Load(), wantSearches)
			}
		}
		check(1, 1)
		time.Sleep(checkInterval - time.Second)
		check(1, 1)
		time.Sleep(time.Second)
		check(2, 1)
		reason = parley.ReasonQuota
		time.Sleep(searchInterval)
		check(3, 2)
		if state := s.search.get(t.Context()); state.Reachable || state.Reason != parley.ReasonQuota {
			t.Errorf("the search is %+v", state)
		}
		time.Sleep(checkInterval) // a search that failed is tried again sooner
		check(4, 3)
	})
}

func TestAServerThatDoesNotRespondIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := &Server{Check: func(ctx context.Context) string {
			<-ctx.Done()
			return parley.ReasonUnreachable
		}}
		s := NewOverview(OverviewConfig{Now: time.Now, Models: fixed([]Model{{Name: "default", Servers: []*Server{hangs}}})})
		gone, cancel := context.WithCancel(t.Context())
		cancel() // the checks are for others, too
		begun := time.Now()
		if got := s.models.get(gone); got[0].Reachable || time.Since(begun) != checkTimeout {
			t.Errorf("after %v the models are %+v", time.Since(begun), got)
		}
	})
}

func TestWithoutASearchServiceNothingIsChecked(t *testing.T) {
	if state := NewOverview(OverviewConfig{Now: time.Now}).search.get(t.Context()); state != (parley.SearchState{}) {
		t.Errorf("the search is %+v", state)
	}
}
