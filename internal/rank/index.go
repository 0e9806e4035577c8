package rank

import (
	"encoding/binary"
	"iter"
	"slices"
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

// builder makes an index part by part.
type builder struct {
	table   []byte
	length  uint64
	parts   int
	numbers map[term]int // of the term's list
	lists   []growingList
	scratch []term
}

type growingList struct {
	term  term
	count int
	last  int
	data  []byte
}

func newBuilder(parts int) *builder {
	return &builder{table: make([]byte, 0, parts*tableEntry), numbers: make(map[term]int)}
}

func (b *builder) add(text string, span Span) {
	all := b.scratch[:0]
	for t := range terms(text) {
		all = append(all, t)
	}
	slices.Sort(all)
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && all[end] == all[start] {
			end++
		}
		b.note(all[start], end-start)
		start = end
	}
	for _, n := range []int{span.Start, span.End, len(all)} {
		b.table = binary.LittleEndian.AppendUint32(b.table, uint32(n))
	}
	b.length += uint64(len(all))
	b.parts++
	b.scratch = all
}

// note adds the part under way to a term's list.
func (b *builder) note(t term, times int) {
	number, ok := b.numbers[t]
	if !ok {
		number = len(b.lists)
		b.numbers[t] = number
		b.lists = append(b.lists, growingList{term: t})
	}
	l := &b.lists[number]
	l.data = binary.AppendUvarint(l.data, uint64(b.parts-l.last))
	l.data = binary.AppendUvarint(l.data, uint64(times))
	l.last = b.parts
	l.count++
}

func (b *builder) index() *Index {
	slices.SortFunc(b.lists, func(l, m growingList) int {
		if l.term < m.term {
			return -1
		}
		return 1
	})
	size := 0
	for _, l := range b.lists {
		size += len(l.data) + binary.MaxVarintLen32
	}
	x := &Index{parts: b.parts, length: b.length, table: b.table}
	x.lookup = make([]byte, 0, len(b.lists)*lookupEntry)
	x.lists = make([]byte, 0, size)
	for _, l := range b.lists {
		x.lookup = binary.LittleEndian.AppendUint64(x.lookup, uint64(l.term))
		x.lookup = binary.LittleEndian.AppendUint32(x.lookup, uint32(len(x.lists)))
		x.lists = binary.AppendUvarint(x.lists, uint64(l.count))
		x.lists = append(x.lists, l.data...)
	}
	return x
}
