package limit

import "sync"

// PerKey bounds how many operations run at once for each key, such as a user.
type PerKey[K comparable] struct {
	limit int

	mu    sync.Mutex
	taken map[K]int // keys without any are removed
}

// NewPerKey returns a PerKey that allows up to limit operations for each key.
func NewPerKey[K comparable](limit int) *PerKey[K] {
	return &PerKey[K]{limit: limit, taken: map[K]int{}}
}

// TryAcquire reports whether one more operation may run for the key. If so, Release must be called after it.
func (p *PerKey[K]) TryAcquire(key K) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[key] >= p.limit {
		return false
	}
	p.taken[key]++
	return true
}

// Release ends an operation of the key.
func (p *PerKey[K]) Release(key K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[key]--
	if p.taken[key] == 0 {
		delete(p.taken, key)
	}
}
