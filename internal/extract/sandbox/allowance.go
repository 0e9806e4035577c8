package sandbox

import (
	"sync/atomic"
	"time"
)

// allowance is the time that a child may still take, by the clock.
type allowance struct {
	timer *time.Timer
	left  time.Duration
	begun time.Time
	over  atomic.Bool
}

// newAllowance starts the clock. It calls end once the time is over.
func newAllowance(limit time.Duration, end func()) *allowance {
	a := &allowance{left: limit, begun: time.Now()}
	a.timer = time.AfterFunc(limit, func() {
		a.over.Store(true)
		end()
	})
	return a
}

// pause stops the clock while the child waits for its parent.
func (a *allowance) pause() {
	a.timer.Stop()
	a.left -= time.Since(a.begun)
}

// resume starts the clock again, with more time.
func (a *allowance) resume(more time.Duration) {
	a.left, a.begun = a.left+more, time.Now()
	a.timer.Reset(max(a.left, 0))
}

// stop stops the clock for good. It reports whether the time was over.
func (a *allowance) stop() (over bool) {
	a.timer.Stop()
	return a.over.Load()
}
