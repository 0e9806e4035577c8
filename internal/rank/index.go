package rank

import (
	"encoding/binary"
	"io"
	"iter"
)

// Index is an inverted index of the parts of a text. It reads its encoded form as needed: a large one need not be in
// memory. It is immutable, and as safe for concurrent use as its data.
type Index struct {
	data   io.ReaderAt
	size   int64 // of data
	parts  int64
	terms  int64
	length uint64 // total length of the parts, in terms
}

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
func (x *Index) Len() int { return int(x.parts) }

// Span returns the place of a part in its document.
func (x *Index) Span(part int) (Span, error) {
	if part < 0 || int64(part) >= x.parts {
		return Span{}, ErrBroken
	}
	entry := make([]byte, tableEntry)
	if err := readAt(x.data, entry, int64(headerSize)+int64(part)*tableEntry); err != nil {
		return Span{}, err
	}
	return table(entry).span(0), nil
}

// lookup and lists return where these sections start.
func (x *Index) lookup() int64 { return int64(headerSize) + x.parts*tableEntry }

func (x *Index) lists() int64 { return x.lookup() + x.terms*lookupEntry }

// table is the table of an index in memory.
type table []byte

// readTable reads the table into buffer, or into a larger one if it does not fit.
func (x *Index) readTable(buffer []byte) (table, error) {
	buffer = resize(buffer, int(x.parts*tableEntry))
	return buffer, readAt(x.data, buffer, int64(headerSize))
}

func (t table) span(part int) Span {
	entry := t[part*tableEntry:]
	return Span{int(binary.LittleEndian.Uint32(entry)), int(binary.LittleEndian.Uint32(entry[4:]))}
}

func (t table) length(part int) uint32 {
	return binary.LittleEndian.Uint32(t[part*tableEntry+8:])
}

// place is where the list of a term is, by its offsets in the data.
type place struct {
	start, end int64
	parts      int // that contain the term
}

// find returns the place of a term's list. It has no parts if no part contains the term.
func (x *Index) find(t term) (place, error) {
	low, high := int64(0), x.terms
	for low < high {
		middle := (low + high) / 2
		found, _, err := x.entry(middle)
		if err != nil {
			return place{}, err
		}
		if found < t {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == x.terms {
		return place{}, nil
	}
	found, start, err := x.entry(low)
	if err != nil || found != t {
		return place{}, err
	}
	end := x.size
	if low+1 < x.terms {
		if _, end, err = x.entry(low + 1); err != nil {
			return place{}, err
		}
	}
	return x.place(start, end)
}

// entry reads an entry of the lookup table: a term and the start of its list.
func (x *Index) entry(i int64) (t term, start int64, err error) {
	var entry [lookupEntry]byte
	if err := readAt(x.data, entry[:], x.lookup()+i*lookupEntry); err != nil {
		return 0, 0, err
	}
	start = x.lists() + int64(binary.LittleEndian.Uint32(entry[8:]))
	return term(binary.LittleEndian.Uint64(entry[:])), start, nil
}

// place reads the number of parts that starts a list.
func (x *Index) place(start, end int64) (place, error) {
	if start >= end || end > x.size {
		return place{}, ErrBroken
	}
	head := make([]byte, min(binary.MaxVarintLen32, end-start))
	if err := readAt(x.data, head, start); err != nil {
		return place{}, err
	}
	parts, n := binary.Uvarint(head)
	if n <= 0 || parts > uint64(x.parts) {
		return place{}, ErrBroken
	}
	return place{start: start + int64(n), end: end, parts: int(parts)}, nil
}

// list is the parts that contain a term. For each part, data has the distance from the
// part before and the number of occurrences.
type list struct {
	parts int
	data  []byte
}

// readList reads a list into buffer, or into a larger one if it does not fit.
func (x *Index) readList(p place, buffer []byte) (list, error) {
	size := min(p.end-p.start, int64(p.parts)*2*binary.MaxVarintLen32)
	buffer = resize(buffer, int(size))
	return list{p.parts, buffer}, readAt(x.data, buffer, p.start)
}

func resize(buffer []byte, size int) []byte {
	if size > cap(buffer) {
		return make([]byte, size)
	}
	return buffer[:size]
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
