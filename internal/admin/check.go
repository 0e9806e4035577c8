package admin

import (
	"context"
	"sync"
	"time"

	"parley"
)

const (
	// checkTimeout bounds the checks of all services.
	checkTimeout = 5 * time.Second
	// checkInterval is how long the result of a check is used.
	checkInterval = 30 * time.Second
	// searchInterval is the same for a search that succeeded, since searches may cost money.
	searchInterval = 5 * time.Minute
)

// Check looks whether a service responds. It returns "", or one of parley's reasons.
type Check func(ctx context.Context) (reason string)

// Server is a model's server. Models that share it are checked together.
type Server struct {
	Check Check
}

// Model is a model on offer.
type Model struct {
	// Name is the one for users, and Model that of its server.
	Name, Model string
	// Servers stand in for each other. The built-in model has none.
	Servers []*Server
}

// Search is the web-search service. Its provider is empty if there is none.
type Search struct {
	Provider string
	Check    Check
}

// checkModels checks each server once, all at the same time.
func (o *Overview) checkModels(ctx context.Context) []parley.ModelState {
	var all sync.WaitGroup
	models := o.config.Models()
	reasons := map[*Server]*string{}
	for _, m := range models {
		for _, server := range m.Servers {
			if reasons[server] != nil {
				continue
			}
			reason := new(string)
			reasons[server] = reason
			all.Go(func() { *reason = server.Check(ctx) })
		}
	}
	all.Wait()
	states := make([]parley.ModelState, len(models))
	for i, m := range models {
		states[i] = m.state(reasons)
	}
	return states
}

// state returns the state of a model after its servers were checked. It is reachable if one of them is.
func (m Model) state(reasons map[*Server]*string) parley.ModelState {
	state := parley.ModelState{Name: m.Name, Model: m.Model}
	for _, server := range m.Servers {
		reason := *reasons[server]
		if reason == "" {
			return parley.ModelState{Name: m.Name, Model: m.Model, Reachable: true}
		}
		// The first server's reason is shown, unless another one may reply all the same.
		if state.Reason == "" || reason == parley.ReasonUnlisted {
			state.Reason = reason
		}
	}
	state.Reachable = state.Reason == "" || state.Reason == parley.ReasonUnlisted
	return state
}

func (o *Overview) checkSearch(ctx context.Context) parley.SearchState {
	search := o.config.Search()
	if search.Provider == "" {
		return parley.SearchState{}
	}
	reason := search.Check(ctx)
	return parley.SearchState{Provider: search.Provider, Reachable: reason == "", Reason: reason}
}

func keepSearch(state parley.SearchState) time.Duration {
	if state.Reachable {
		return searchInterval
	}
	return checkInterval
}

// cached is the result of checks, which is used for a while. Those who ask meanwhile wait for the same checks.
type cached[T any] struct {
	read func(ctx context.Context) T
	keep func(T) time.Duration
	now  func() time.Time

	mu    sync.Mutex
	value T
	until time.Time
}

// get returns the result. The checks go on if the caller has gone, since others may wait for them.
func (c *cached[T]) get(ctx context.Context) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Before(c.until) {
		return c.value
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	c.value = c.read(ctx)
	c.until = c.now().Add(c.keep(c.value))
	return c.value
}
