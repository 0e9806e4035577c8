package rank

import (
	"bytes"
	"encoding/binary"
)

// builder builds an index part by part. It numbers terms as they occur and collects the
// numbers of each part. At the end it writes each list to its final place.
type builder struct {
	table  []byte
	length uint64
	terms  vocabulary
	parts  [][]uint32  // the terms of each part, as returned by pack
	found  []termCount // the terms of the current part
}

// termCount is a term, by its number, and how often it occurs in a part.
type termCount struct {
	number, count uint32
}

func newBuilder(parts int) *builder {
	return &builder{
		table: make([]byte, 0, parts*tableEntry),
		parts: make([][]uint32, 0, parts),
		terms: newVocabulary(),
	}
}

// add indexes a part.
func (b *builder) add(text string, span Span) {
	b.found = b.found[:0]
	length := 0
	for t := range allTerms(text) {
		length++
		// The slot's index into found may be from an earlier part.
		s := b.terms.slot(t)
		if int(s.found) < len(b.found) && b.found[s.found].number == s.number {
			b.found[s.found].count++
			continue
		}
		s.found = uint32(len(b.found))
		b.found = append(b.found, termCount{s.number, 1})
	}
	b.parts = append(b.parts, pack(b.found))
	for _, n := range []int{span.Start, span.End, length} {
		b.table = binary.LittleEndian.AppendUint32(b.table, uint32(n))
	}
	b.length += uint64(length)
}

// isRepeated marks a number if a count follows it. Others occur once.
const isRepeated = 1 << 31

// pack encodes terms compactly: most occur once in a part.
func pack(terms []termCount) []uint32 {
	size := len(terms)
	for _, t := range terms {
		if t.count > 1 {
			size++
		}
	}
	part := make([]uint32, 0, size)
	for _, t := range terms {
		if t.count > 1 {
			part = append(part, t.number|isRepeated, t.count)
		} else {
			part = append(part, t.number)
		}
	}
	return part
}

// each calls do for the terms of all parts, in order.
func (b *builder) each(do func(number, part, count uint32)) {
	for part, terms := range b.parts {
		for i := 0; i < len(terms); i++ {
			number, count := terms[i], uint32(1)
			if number&isRepeated != 0 {
				i++
				number, count = number&^isRepeated, terms[i]
			}
			do(number, uint32(part), count)
		}
	}
}

// layout is the place of a term's list.
type layout struct {
	at    uint32 // offset of the next number
	size  uint32 // in bytes, without the number of parts
	parts uint32
	last  uint32 // the last part that was added
}

// index computes the size of each list, then its offset, then writes its content.
func (b *builder) index() *Index {
	lists := make([]layout, b.terms.count+1) // by number
	b.each(func(number, part, count uint32) {
		l := &lists[number]
		l.size += uvarintSize(part-l.last) + uvarintSize(count)
		l.last = part
		l.parts++
	})
	end := uint32(0)
	sorted := b.terms.sorted()
	for _, t := range sorted {
		l := &lists[b.terms.find(t).number]
		l.at, l.last = end, 0
		end += uvarintSize(l.parts) + l.size
	}
	size := headerSize + len(b.table) + len(sorted)*lookupEntry
	data := appendHeader(make([]byte, 0, size+int(end)), len(b.parts), len(sorted), b.length)
	data = append(data, b.table...)
	for _, t := range sorted {
		data = binary.LittleEndian.AppendUint64(data, uint64(t))
		data = binary.LittleEndian.AppendUint32(data, lists[b.terms.find(t).number].at)
	}
	b.fill(data[size:cap(data)], lists)
	data = data[:size+int(end)]
	return &Index{
		data:   bytes.NewReader(data),
		size:   int64(len(data)),
		parts:  int64(len(b.parts)),
		terms:  int64(len(sorted)),
		length: b.length,
	}
}

// fill writes the content of the lists to data.
func (b *builder) fill(data []byte, lists []layout) {
	for number := range b.terms.count {
		l := &lists[number+1]
		l.put(data, l.parts)
	}
	b.each(func(number, part, count uint32) {
		l := &lists[number]
		l.put(data, part-l.last)
		l.put(data, count)
		l.last = part
	})
}

// put writes the next number of the list.
func (l *layout) put(lists []byte, n uint32) {
	l.at += uint32(binary.PutUvarint(lists[l.at:], uint64(n)))
}

func uvarintSize(n uint32) uint32 {
	size := uint32(1)
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}
