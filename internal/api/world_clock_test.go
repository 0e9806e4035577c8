package api_test

import (
	"sync"
	"time"
)

// clock is the server's clock. A test can move it forward and freeze it.
type clock struct {
	mu     sync.Mutex
	ahead  time.Duration
	frozen time.Time // zero if it runs
}

// freeze stops the clock. Then only forward moves it.
func (c *clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = time.Now()
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.frozen.IsZero() {
		return c.frozen.Add(c.ahead)
	}
	return time.Now().Add(c.ahead)
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}
