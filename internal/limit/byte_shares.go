package limit

import "sync"

// ByteShares bounds how many bytes are held at once, and shares them among keys, such as users. The first hold of a
// key may take half of what is left. If a key has other holds, all of them together may have an eighth of what is left.
// So something is left for others. Whether a hold takes its bytes at once or in steps makes no difference. A nil
// ByteShares does not limit.
type ByteShares[K comparable] struct {
	total int64
	free  int64

	mu   sync.Mutex
	used int64
	held map[K]int64 // keys without bytes are removed
}

const (
	// firstPart is the part of what is left that the first hold of a key may take.
	firstPart = 2
	// part is the part of what is left that all holds of a key may take if there are several.
	part = 8
)

// NewByteShares returns shares of total bytes. The first free bytes of each hold are not counted: small ones are never
// refused.
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

// Hold is what one operation of a key holds, until it is released. A nil Hold does not limit. It is safe for
// concurrent use.
type Hold[K comparable] struct {
	shares   *ByteShares[K]
	key      K
	bytes    int64 // counted
	released bool
}

// Resize sets how many bytes are held. If there are not enough left, or the hold was released, it returns false and
// changes nothing.
func (h *Hold[K]) Resize(bytes int64) bool { return h.resize(bytes, false) }

// Force is Resize without a limit, for what is held already.
func (h *Hold[K]) Force(bytes int64) { h.resize(bytes, true) }

// Release gives all bytes back for good. What still runs can't hold anything from then on.
func (h *Hold[K]) Release() {
	if h == nil || h.shares == nil {
		return
	}
	h.shares.mu.Lock()
	defer h.shares.mu.Unlock()
	h.add(-h.bytes)
	h.released = true
}

func (h *Hold[K]) resize(bytes int64, force bool) bool {
	if h == nil || h.shares == nil {
		return true
	}
	s := h.shares
	s.mu.Lock()
	defer s.mu.Unlock()
	counted := max(0, bytes-s.free)
	if h.released || counted > h.bytes && !force && !h.allows(counted) {
		return false
	}
	h.add(counted - h.bytes)
	return true
}

// add counts more bytes, or fewer. The caller must hold the lock.
func (h *Hold[K]) add(more int64) {
	s := h.shares
	h.bytes += more
	s.used += more
	s.held[h.key] += more
	if s.held[h.key] == 0 {
		delete(s.held, h.key)
	}
}

// allows reports whether the hold may have so many bytes. Its own bytes are not compared with them. The caller must
// hold the lock.
func (h *Hold[K]) allows(bytes int64) bool {
	s := h.shares
	used, others := s.used-h.bytes, s.held[h.key]-h.bytes
	switch left := s.total - used; {
	case used == 0: // even more than the total
		return true
	case others == 0:
		return bytes <= left/firstPart
	default:
		return others+bytes <= left/part
	}
}
