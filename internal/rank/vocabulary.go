package rank

import "slices"

// vocabulary numbers terms from 1, as they come. It is a table with open addressing:
// looking terms up is most of what an index costs, and a map takes several times as long.
type vocabulary struct {
	slots []slot // a power of two, at most half of them taken
	shift int    // of a hash, to give a place in slots
	count uint32
}

// slot is a term and its number; 0 where it is free.
type slot struct {
	term   term
	number uint32
	place  uint32 // the builder's
}

const firstBits = 10

func newVocabulary() vocabulary {
	return vocabulary{slots: make([]slot, 1<<firstBits), shift: 64 - firstBits}
}

// slot is the term's own, with the next number where it is new. It is good until the next call.
func (v *vocabulary) slot(t term) *slot {
	s := v.find(t)
	if s.number != 0 {
		return s
	}
	if 2*int(v.count) >= len(v.slots) {
		v.grow()
		s = v.find(t)
	}
	v.count++
	*s = slot{term: t, number: v.count}
	return s
}

// find gives the slot that has the term, or the one that it can take.
func (v *vocabulary) find(t term) *slot {
	const golden = 0x9E3779B97F4A7C15 // spreads neighbours
	for at := uint64(t) * golden >> v.shift; ; at++ {
		s := &v.slots[at&uint64(len(v.slots)-1)]
		if s.number == 0 || s.term == t {
			return s
		}
	}
}

func (v *vocabulary) grow() {
	before := v.slots
	v.slots = make([]slot, 2*len(before))
	v.shift--
	for _, s := range before {
		if s.number != 0 {
			*v.find(s.term) = s
		}
	}
}

// sorted gives all terms in ascending order.
func (v *vocabulary) sorted() []term {
	all := make([]term, 0, v.count)
	for _, s := range v.slots {
		if s.number != 0 {
			all = append(all, s.term)
		}
	}
	slices.Sort(all)
	return all
}
