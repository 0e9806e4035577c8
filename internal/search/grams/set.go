package grams

import "math/bits"

// Set is a set of places in a block, as bits.
type Set []uint64

// NewSet returns an empty set for places below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add adds a place to the set.
func (s Set) Add(place int) { s[place/64] |= 1 << (place % 64) }

// Has reports whether a place is in the set. A nil set is empty.
func (s Set) Has(place int) bool { return place/64 < len(s) && s[place/64]&(1<<(place%64)) != 0 }

// Len returns the number of places in the set.
func (s Set) Len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Intersect removes the places that are not in the other set. A nil set is empty.
func (s Set) Intersect(other Set) {
	if other == nil {
		clear(s)
		return
	}
	for i := range s {
		s[i] &= other[i]
	}
}

// All iterates over the places in order.
func (s Set) All() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
