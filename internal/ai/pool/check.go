package pool

import (
	"context"
	"sync"
	"time"
)

const (
	// checkEvery is how often servers are checked that have failed.
	checkEvery = 15 * time.Second
	checkTime  = 10 * time.Second
)

// Run checks all servers once, and later those that have failed, until ctx ends. Checks only tell whether a server is
// available: they keep none from being asked.
func (p *Pool) Run(ctx context.Context) {
	p.check(ctx, func(*member) bool { return true })
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.check(ctx, func(m *member) bool { return m.silent })
		case <-ctx.Done():
			return
		}
	}
}

// check checks the chosen servers.
func (p *Pool) check(ctx context.Context, choose func(*member) bool) {
	var all sync.WaitGroup
	for _, m := range p.chosen(choose) {
		all.Go(func() {
			limited, cancel := context.WithTimeout(ctx, checkTime)
			defer cancel()
			err := m.Check(limited)
			if ctx.Err() != nil {
				return
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			m.silent = err != nil
		})
	}
	all.Wait()
}

func (p *Pool) chosen(choose func(*member) bool) []*member {
	p.mu.Lock()
	defer p.mu.Unlock()
	var members []*member
	for _, m := range p.members {
		if m.Check != nil && choose(m) {
			members = append(members, m)
		}
	}
	return members
}
