// Package load bounds how much the server takes on at once, requests and connections,
// and turns away what would have to wait for too long.
package load

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

	coming  atomic.Int64 // on their way to Enter
	waiting atomic.Int64
	pace    atomic.Int64 // average time in which the line moves by one, in ns

	mu   sync.Mutex
	last time.Time // when the line last moved, or began
}

// NewGate returns a gate with so many slots. Where the wait is likely to be longer than
// target nobody joins the line, and nobody stays in it for longer than patience.
func NewGate(slots int, target, patience time.Duration) *Gate {
	return &Gate{slots: make(chan struct{}, slots), target: target, patience: patience}
}

// Full reports whether newcomers are turned away. It costs next to nothing, so that it
// can be asked before anything is done for them.
func (g *Gate) Full() bool {
	if g == nil {
		return false
	}
	free := int64(cap(g.slots) - len(g.slots))
	line := max(0, g.waiting.Load()+g.coming.Load()-free)
	return time.Duration(line*g.pace.Load()) > g.target
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
	if g.waiting.Add(1) == 1 {
		g.begin(time.Now())
	}
	defer g.waiting.Add(-1)
	timer := time.NewTimer(g.patience)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		g.move(time.Now())
		return nil
	case <-timer.C:
		return parley.ErrOverloaded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin notes that a line has formed.
func (g *Gate) begin(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = now
}

// move notes that the line has moved. The average is over the last few dozen.
func (g *Gate) move(now time.Time) {
	const weight = 32
	g.mu.Lock()
	defer g.mu.Unlock()
	took := int64(now.Sub(g.last))
	g.last = now
	pace := g.pace.Load()
	g.pace.Store(pace + (took-pace)/weight)
}

// Leave gives the slot to the next in line.
func (g *Gate) Leave() {
	if g != nil {
		<-g.slots
	}
}
