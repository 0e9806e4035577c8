package limit

import "sync"

// Shares bounds how much of something each may have at once, where all have it from one
// supply.
type Shares[K comparable] struct {
	most int

	mu    sync.Mutex
	taken map[K]int // by whom; nobody who has none
}

// NewShares returns shares of so many each.
func NewShares[K comparable](most int) *Shares[K] {
	return &Shares[K]{most: most, taken: map[K]int{}}
}

// Take reports whether there is one more for whoever asks. After true, Give must be called.
func (s *Shares[K]) Take(who K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[who] >= s.most {
		return false
	}
	s.taken[who]++
	return true
}

// Give gives one back.
func (s *Shares[K]) Give(who K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[who]--
	if s.taken[who] == 0 {
		delete(s.taken, who)
	}
}
