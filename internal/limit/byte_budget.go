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

// Left returns how many bytes are not taken.
func (b *ByteBudget) Left() int64 { return b.left.Load() }

// Reader is a reader whose bytes count against a budget until they are released.
type Reader struct {
	r       io.Reader
	budget  *ByteBudget
	free    int64
	taken   int64
	refused bool
}

// Reader counts what is read from r. If the budget is exhausted, Read returns parley.ErrOverloaded from then on, and
// the bytes read so far are released.
func (b *ByteBudget) Reader(r io.Reader) *Reader {
	if b == nil {
		return &Reader{r: r}
	}
	return &Reader{r: r, budget: b, free: b.free}
}

func (r *Reader) Read(p []byte) (int, error) {
	if r.refused {
		return 0, parley.ErrOverloaded
	}
	n, err := r.r.Read(p)
	if r.budget == nil {
		return n, err
	}
	free := min(int64(n), r.free)
	r.free -= free
	counted := int64(n) - free
	if counted == 0 {
		return n, err
	}
	r.taken += counted
	if r.budget.left.Add(-counted) < 0 {
		r.refused = true
		r.Release()
		return 0, parley.ErrOverloaded
	}
	return n, err
}

// Close does nothing. The body of a request is closed by net/http, after the response. Closing it would wait for the
// rest of the body.
func (r *Reader) Close() error { return nil }

// Release returns the bytes read so far to the budget.
func (r *Reader) Release() {
	if r.budget != nil {
		r.budget.left.Add(r.taken)
		r.taken = 0
	}
}
