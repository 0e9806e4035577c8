package rank

import (
	"encoding/binary"
	"iter"
)

// Index is an inverted index of the parts of a text. It is immutable, and safe for
// concurrent use. MarshalBinary encodes it for storage.
type Index struct {
	parts  int
	length uint64 // total length of the parts, in terms
	table  []byte // one entry per part
	lookup []byte // one entry per term, in ascending order
	lists  []byte // one list per term; see list
}

// Sizes of the entries of table (start, end, length) and lookup (term, offset in lists).
const (
	tableEntry  = 3 * 4
	lookupEntry = 8 + 4
)

// NewIndex indexes the parts of a text, such as its Passages. The text must be smaller
// than 4 GiB.
func NewIndex(text string, parts []Span) *Index {
	b := newBuilder(len(parts))
	for _, part := range parts {
		b.add(part.Of(text), part)
	}
	return b.index()
}

// Len returns the number of parts.
func (x *Index) Len() int { return x.parts }

func (x *Index) span(part int) Span {
	entry := x.table[part*tableEntry:]
	return Span{int(binary.LittleEndian.Uint32(entry)), int(binary.LittleEndian.Uint32(entry[4:]))}
}

func (x *Index) partLength(part int) uint32 {
	return binary.LittleEndian.Uint32(x.table[part*tableEntry+8:])
}

// list is the parts that contain a term. For each part, data has the distance from the
// part before and the number of occurrences.
type list struct {
	parts int
	data  []byte
}

// find returns the list of a term. It is empty if no part contains the term.
func (x *Index) find(t term) list {
	low, high := 0, len(x.lookup)/lookupEntry
	for low < high {
		middle := (low + high) / 2
		if x.termAt(middle) < t {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(x.lookup)/lookupEntry || x.termAt(low) != t {
		return list{}
	}
	start := x.offsetAt(low)
	if start >= len(x.lists) {
		return list{}
	}
	parts, n := binary.Uvarint(x.lists[start:])
	if n <= 0 || parts > uint64(x.parts) {
		return list{}
	}
	return list{int(parts), x.lists[start+n:]}
}

func (x *Index) termAt(i int) term {
	return term(binary.LittleEndian.Uint64(x.lookup[i*lookupEntry:]))
}

func (x *Index) offsetAt(i int) int {
	return int(binary.LittleEndian.Uint32(x.lookup[i*lookupEntry+8:]))
}

// all yields the parts and the number of occurrences in each. If the index is damaged, a
// part may be out of range.
func (l list) all() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		data, part := l.data, uint64(0)
		for range l.parts {
			distance, n := binary.Uvarint(data)
			if n <= 0 {
				return
			}
			count, m := binary.Uvarint(data[n:])
			if m <= 0 || distance > maxPart || count > maxPart {
				return
			}
			data = data[n+m:]
			part += distance
			if part > maxPart || !yield(int(part), count) {
				return
			}
		}
	}
}

const maxPart = 1<<31 - 1
