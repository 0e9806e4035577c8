package rank

import "encoding/binary"

// builder makes an index part by part. Terms get numbers as they come, and each part
// keeps the numbers of its terms; only at the end are the lists laid out, each at once in
// its final place.
type builder struct {
	table  []byte
	length uint64
	terms  vocabulary
	parts  [][]uint32 // of each part its terms, as packed gives them
	found  []tallied  // the terms of the part under way
}

// tallied is a term, by its number, and how often a part has it.
type tallied struct {
	number, times uint32
}

func newBuilder(parts int) *builder {
	return &builder{table: make([]byte, 0, parts*tableEntry), parts: make([][]uint32, 0, parts), terms: newVocabulary()}
}

// add indexes a part.
func (b *builder) add(text string, span Span) {
	b.found = b.found[:0]
	length := 0
	for t := range terms(text) {
		length++
		// A slot's place is that of its last part: right only if the term stands there.
		s := b.terms.slot(t)
		if int(s.place) < len(b.found) && b.found[s.place].number == s.number {
			b.found[s.place].times++
			continue
		}
		s.place = uint32(len(b.found))
		b.found = append(b.found, tallied{s.number, 1})
	}
	b.parts = append(b.parts, packed(b.found))
	for _, n := range []int{span.Start, span.End, length} {
		b.table = binary.LittleEndian.AppendUint32(b.table, uint32(n))
	}
	b.length += uint64(length)
}

// isRepeated marks a number behind which it stands how often.
const isRepeated = 1 << 31

// packed keeps terms in little room: most stand in a part once.
func packed(terms []tallied) []uint32 {
	size := len(terms)
	for _, t := range terms {
		if t.times > 1 {
			size++
		}
	}
	part := make([]uint32, 0, size)
	for _, t := range terms {
		if t.times > 1 {
			part = append(part, t.number|isRepeated, t.times)
		} else {
			part = append(part, t.number)
		}
	}
	return part
}

// each goes through the terms of all parts, in order.
func (b *builder) each(do func(number, part, times uint32)) {
	for part, terms := range b.parts {
		for i := 0; i < len(terms); i++ {
			number, times := terms[i], uint32(1)
			if number&isRepeated != 0 {
				i++
				number, times = number&^isRepeated, terms[i]
			}
			do(number, uint32(part), times)
		}
	}
}

// layout is where a term's list stands.
type layout struct {
	at    uint32
	size  uint32
	count uint32
	last  uint32 // the part that was noted last
}

// index lays the lists out: first how large each is, then where it begins, then what is
// in it.
func (b *builder) index() *Index {
	lists := make([]layout, b.terms.count+1) // by number
	b.each(func(number, part, times uint32) {
		l := &lists[number]
		l.size += uvarintSize(part-l.last) + uvarintSize(times)
		l.last = part
		l.count++
	})
	x := &Index{parts: len(b.parts), length: b.length, table: b.table}
	x.lookup = make([]byte, 0, int(b.terms.count)*lookupEntry)
	end := uint32(0)
	for _, t := range b.terms.sorted() {
		x.lookup = binary.LittleEndian.AppendUint64(x.lookup, uint64(t))
		x.lookup = binary.LittleEndian.AppendUint32(x.lookup, end)
		l := &lists[b.terms.find(t).number]
		l.at, l.last = end, 0
		end += uvarintSize(l.count) + l.size
	}
	x.lists = make([]byte, end)
	for number := range b.terms.count {
		l := &lists[number+1]
		l.put(x.lists, l.count)
	}
	b.each(func(number, part, times uint32) {
		l := &lists[number]
		l.put(x.lists, part-l.last)
		l.put(x.lists, times)
		l.last = part
	})
	return x
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
