// Package limit bounds how much the server takes on at once, requests and connections,
// and turns away what would have to wait for too long.
package limit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

// Gate lets so many in at once. Others wait in line, first come first served, as long
// as the line moves fast enough. A nil Gate lets everybody in.
type Gate struct {
	slots    chan struct{}
	target   time.Duration
	patience time.Duration
	made     time.Time

	coming  atomic.Int64 // on their way to Enter
	waiting atomic.Int64
	since   atomic.Int64 // when the line began, after made; 0 where there is none
	pace    atomic.Int64 // average time in which the line moves by one, in ns

	mu   sync.Mutex
	last time.Time // when the line last moved; zero where there was none
}

// NewGate returns a gate with so many slots. Where the wait is likely to be longer than
// target nobody joins the line, and nobody stays in it for longer than patience.
func NewGate(slots int, target, patience time.Duration) *Gate {
	return &Gate{slots: make(chan struct{}, slots), target: target, patience: patience, made: time.Now()}
}

// Full reports whether newcomers are turned away: only where more are in line than would
// go in at once, since commits are shared by those who are in together. It costs next
// to nothing, so that it can be asked before anything is done for them.
func (g *Gate) Full() bool {
	if g == nil {
		return false
	}
	line := g.line()
	if line == 0 {
		if g.since.Load() != 0 {
			g.since.Store(0)
		}
		return false
	}
	limit := g.limit(time.Since(g.made))
	return line > int64(cap(g.slots)) && time.Duration(line*g.pace.Load()) > limit
}

// limit is how long a line may be, in time. One that has stood for longer than the target
// is no burst that will pass, and has to be shorter: with a longer one everybody waits
// longer, and no more is done.
func (g *Gate) limit(now time.Duration) time.Duration {
	const shorter = 5
	g.since.CompareAndSwap(0, int64(now))
	if now-time.Duration(g.since.Load()) > g.target {
		return g.target / shorter
	}
	return g.target
}

// line is how many there are for whom no slot is free.
func (g *Gate) line() int64 {
	free := int64(cap(g.slots) - len(g.slots))
	return max(0, g.waiting.Load()+g.coming.Load()-free)
}

// Approach counts one more as on its way to Enter, which may take a moment: without
// that all who come while the line is short would get past Full, to be turned away by
// Enter, after work has been done for them. Arrive must be called, before Enter.
func (g *Gate) Approach() {
	if g != nil {
		g.coming.Add(1)
	}
}

// Arrive ends Approach.
func (g *Gate) Arrive() {
	if g != nil {
		g.coming.Add(-1)
	}
}

// Enter waits for a slot. After nil, Leave must be called. The error is
// parley.ErrOverloaded, or that of ctx.
func (g *Gate) Enter(ctx context.Context) error {
	if g == nil {
		return nil
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	if g.Full() || g.patience == 0 {
		return parley.ErrOverloaded
	}
	return g.wait(ctx)
}

// wait waits in line.
func (g *Gate) wait(ctx context.Context) error {
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	timer := time.NewTimer(g.patience)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return parley.ErrOverloaded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Leave gives the slot to the next in line.
func (g *Gate) Leave() {
	if g != nil {
		g.move(time.Now())
		<-g.slots
	}
}

// move notes how fast a line moves: by one whenever somebody leaves. The average is over
// the last few dozen.
func (g *Gate) move(now time.Time) {
	const weight = 32
	line := g.line() > 0
	g.mu.Lock()
	defer g.mu.Unlock()
	if line && !g.last.IsZero() {
		pace := g.pace.Load()
		g.pace.Store(pace + (int64(now.Sub(g.last))-pace)/weight)
	}
	g.last = time.Time{}
	if line {
		g.last = now
	}
}
