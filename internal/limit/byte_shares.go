package limit

import "sync"

// ByteShares bounds how many bytes are held at once, and shares them among keys, such as users. A key that holds
// nothing may take all that is left. Otherwise it may hold up to an eighth of what is left, so that something is left
// for others. A nil ByteShares does not limit.
type ByteShares[K comparable] struct {
	total int64
	free  int64

	mu   sync.Mutex
	used int64
	held map[K]int64 // keys with none are removed
}

// part is the part of what is left that a key may hold.
const part = 8

// NewByteShares returns shares of total bytes. The first free bytes of each hold are not counted, so that small
// ones are never refused.
func NewByteShares[K comparable](total, free int64) *ByteShares[K] {
	return &ByteShares[K]{total: total, free: free, held: map[K]int64{}}
}

// Used returns how many bytes are held.
func (s *ByteShares[K]) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Hold returns a hold of no bytes for the key.
func (s *ByteShares[K]) Hold(key K) *Hold[K] { return &Hold[K]{shares: s, key: key} }

// Hold is what one operation of a key holds. A nil Hold does not limit. It is not safe for concurrent use.
type Hold[K comparable] struct {
	shares *ByteShares[K]
	key    K
	bytes  int64 // counted
}

// Resize sets how many bytes are held. If there are not enough left, it returns false and changes nothing.
func (h *Hold[K]) Resize(bytes int64) bool { return h.resize(bytes, false) }

// Force is Resize without a limit, for what is held already.
func (h *Hold[K]) Force(bytes int64) { h.resize(bytes, true) }

// Release gives all bytes back.
func (h *Hold[K]) Release() { h.resize(0, true) }

func (h *Hold[K]) resize(bytes int64, force bool) bool {
	if h == nil || h.shares == nil {
		return true
	}
	s := h.shares
	more := max(0, bytes-s.free) - h.bytes
	if more == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if more > 0 && !force && !s.allows(h.key, more) {
		return false
	}
	h.bytes += more
	s.used += more
	s.held[h.key] += more
	if s.held[h.key] == 0 {
		delete(s.held, h.key)
	}
	return true
}

// allows reports whether the key may take more bytes. The caller must hold the lock.
func (s *ByteShares[K]) allows(key K, more int64) bool {
	left, held := s.total-s.used, s.held[key]
	if held == 0 { // even more than the total, if nobody else holds anything
		return more <= left || s.used == 0
	}
	return held+more <= left/part
}
