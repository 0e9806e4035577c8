package limit

import (
	"io"
	"sync/atomic"

	"parley"
)

// Budget bounds how many bytes are held in memory at once by all who hold any. A nil
// Budget is no bound.
type Budget struct {
	free int64
	left atomic.Int64
}

// NewBudget returns a budget of total bytes. The first few of each holder, so many as
// free, do not count: so whoever needs little is never refused.
func NewBudget(total, free int64) *Budget {
	b := &Budget{free: free}
	b.left.Store(total)
	return b
}

// Counted is a reader whose bytes are held until they are released.
type Counted struct {
	io.ReadCloser
	budget *Budget
	free   int64
	taken  int64
}

// Count counts what is read of r. Where there is no room for it, Read is
// parley.ErrOverloaded.
func (b *Budget) Count(r io.ReadCloser) *Counted {
	if b == nil {
		return &Counted{ReadCloser: r}
	}
	return &Counted{ReadCloser: r, budget: b, free: b.free}
}

// Read is the reader's.
func (c *Counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.budget == nil {
		return n, err
	}
	counts := int64(n)
	spared := min(counts, c.free)
	c.free -= spared
	counts -= spared
	c.taken += counts
	if c.budget.left.Add(-counts) < 0 {
		return 0, parley.ErrOverloaded
	}
	return n, err
}

// Release gives back what was taken: the bytes are no longer held.
func (c *Counted) Release() {
	if c.budget != nil {
		c.budget.left.Add(c.taken)
		c.taken = 0
	}
}
