package rank

import "slices"

// vocabulary numbers terms from 1, in order of occurrence. It is a hash table with open
// addressing: lookups are most of the cost of an index, and a map is several times slower.
type vocabulary struct {
	slots []slot // their number is a power of two, at most half are used
	shift int    // reduces a hash to an index into slots
	count uint32
}

// slot is a term and its number. Free slots have number 0.
type slot struct {
	term   term
	number uint32
	found  uint32 // index into builder.found
}

const firstBits = 10

func newVocabulary() vocabulary {
	return vocabulary{slots: make([]slot, 1<<firstBits), shift: 64 - firstBits}
}

// slot returns the slot of a term. A new term gets the next number. The slot is valid
// until the next call.
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

// find returns the slot of the term, or the free one for it.
func (v *vocabulary) find(t term) *slot {
	const golden = 0x9E3779B97F4A7C15 // spreads adjacent terms
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

// sorted returns all terms in ascending order.
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
