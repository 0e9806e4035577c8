package rank

import (
	"encoding/binary"
	"iter"
)

// Index makes searching the parts of a text cheap. It is made once and can be kept:
// see MarshalBinary. It does not change, and may be used from several goroutines.
type Index struct {
	parts  int
	length uint64 // of all parts, in terms
	table  []byte // an entry for each part
	lookup []byte // an entry for each term, in ascending order
	lists  []byte // which parts have a term, and how often
}

// Sizes of the entries of table (start, end, length) and lookup (term, offset in lists).
const (
	tableEntry  = 3 * 4
	lookupEntry = 8 + 4
)

// NewIndex indexes the parts of a text of less than 4 GiB, such as Passages gives.
func NewIndex(text string, parts []Span) *Index {
	b := newBuilder(len(parts))
	for _, part := range parts {
		b.add(part.Of(text), part)
	}
	return b.index()
}

// Len is the number of parts.
func (x *Index) Len() int { return x.parts }

func (x *Index) span(part int) Span {
	entry := x.table[part*tableEntry:]
	return Span{int(binary.LittleEndian.Uint32(entry)), int(binary.LittleEndian.Uint32(entry[4:]))}
}

func (x *Index) partLength(part int) uint32 {
	return binary.LittleEndian.Uint32(x.table[part*tableEntry+8:])
}

// list says which parts have a term: how many, then for each the distance from the
// one before and how often.
type list struct {
	count int
	data  []byte
}

// find gives a term's list, empty where no part has it.
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
	count, n := binary.Uvarint(x.lists[start:])
	if n <= 0 || count > uint64(x.parts) {
		return list{}
	}
	return list{int(count), x.lists[start+n:]}
}

func (x *Index) termAt(i int) term {
	return term(binary.LittleEndian.Uint64(x.lookup[i*lookupEntry:]))
}

func (x *Index) offsetAt(i int) int {
	return int(binary.LittleEndian.Uint32(x.lookup[i*lookupEntry+8:]))
}

// all gives the parts and how often each has the term. Parts may lie outside the
// index where its bytes are broken.
func (l list) all() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		data, part := l.data, uint64(0)
		for range l.count {
			distance, n := binary.Uvarint(data)
			if n <= 0 {
				return
			}
			times, m := binary.Uvarint(data[n:])
			if m <= 0 || distance > maxPart || times > maxPart {
				return
			}
			data = data[n+m:]
			part += distance
			if part > maxPart || !yield(int(part), times) {
				return
			}
		}
	}
}

const maxPart = 1<<31 - 1
