package limit

import (
	"io"
	"sync/atomic"

	"parley"
)

// ByteBudget bounds how many bytes of request bodies are held in memory at once. A nil ByteBudget does not limit.
type ByteBudget struct {
	free int64
	left atomic.Int64
}

// NewByteBudget returns a budget of total bytes. The first free bytes of each reader are not counted, so that
// small requests are never refused.
func NewByteBudget(total, free int64) *ByteBudget {
	b := &ByteBudget{free: free}
	b.left.Store(total)
	return b
}

// Reader is a reader whose bytes count against a budget until they are released.
type Reader struct {
	io.ReadCloser
	budget *ByteBudget
	free   int64
	taken  int64
}

// Reader counts what is read from r. Read returns parley.ErrOverloaded if the budget is exhausted.
func (b *ByteBudget) Reader(r io.ReadCloser) *Reader {
	if b == nil {
		return &Reader{ReadCloser: r}
	}
	return &Reader{ReadCloser: r, budget: b, free: b.free}
}

func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.budget == nil {
		return n, err
	}
	free := min(int64(n), r.free)
	r.free -= free
	counted := int64(n) - free
	r.taken += counted
	if r.budget.left.Add(-counted) < 0 {
		return 0, parley.ErrOverloaded
	}
	return n, err
}

// Release returns the bytes read so far to the budget.
func (r *Reader) Release() {
	if r.budget != nil {
		r.budget.left.Add(r.taken)
		r.taken = 0
	}
}
