package grams

import (
	"encoding/binary"
	"errors"
)

// pageSize is where a page is full, in bytes. With a little of the database's own it
// fills one page of SQLite.
const pageSize = 3_800

// Page is a run of a block's grams and of the places of each. Its bytes are, for each
// gram: the distance from the gram before (of the first one: from First), the size of
// the places in bytes, doubled and one more where they are bits, and the places: bits
// from the lowest place on, or distances from place to place.
type Page struct {
	First Gram
	Data  []byte
}

// ErrDamaged is what pages and names are that Build and EncodeNames can't have made.
var ErrDamaged = errors.New("the search index is damaged")

// entry is a gram of a page.
type entry struct {
	gram   Gram
	bits   bool
	places []byte
}

// next reads the entry at the beginning of data, and gives what follows it. Before is
// the gram before.
func next(before Gram, data []byte) (e entry, rest []byte, err error) {
	distance, n := binary.Uvarint(data)
	if n <= 0 {
		return e, nil, ErrDamaged
	}
	size, m := binary.Uvarint(data[n:])
	if m <= 0 || size/2 > uint64(len(data)-n-m) {
		return e, nil, ErrDamaged
	}
	data = data[n+m:]
	return entry{gram: before + Gram(distance), bits: size%2 == 1, places: data[:size/2]}, data[size/2:], nil
}

// Find adds the places of the page's grams in a range to a set.
func (p Page) Find(r Range, found Set) error {
	gram, data := p.First, p.Data
	for len(data) > 0 {
		e, rest, err := next(gram, data)
		if err != nil {
			return err
		}
		if e.gram > r.Last {
			break
		}
		if e.gram >= r.First {
			if err := e.addTo(found); err != nil {
				return err
			}
		}
		gram, data = e.gram, rest
	}
	return nil
}

// addTo adds the entry's places to a set.
func (e entry) addTo(found Set) error {
	if e.bits {
		if len(e.places) > len(found)*8 {
			return ErrDamaged
		}
		for i, b := range e.places {
			found[i/8] |= uint64(b) << (i % 8 * 8)
		}
		return nil
	}
	place := uint64(0)
	for data := e.places; len(data) > 0; {
		distance, n := binary.Uvarint(data)
		if place += distance; n <= 0 || distance > uint64(len(found)*64) || place >= uint64(len(found)*64) {
			return ErrDamaged
		}
		found.Add(int(place))
		data = data[n:]
	}
	return nil
}

// writer makes the pages of a block from its grams in order.
type writer struct {
	pages  []Page
	last   Gram
	buffer []byte
}

// add writes a gram with its places, of which there is at least one.
func (w *writer) add(gram Gram, places Set) {
	w.buffer = w.buffer[:0]
	before := 0
	for place := range places.All() {
		w.buffer = binary.AppendUvarint(w.buffer, uint64(place-before))
		before = place
	}
	asBits := uint64(0)
	if size := before/8 + 1; size < len(w.buffer) {
		asBits = 1
		w.buffer = w.buffer[:size]
		for i := range w.buffer {
			w.buffer[i] = byte(places[i/8] >> (i % 8 * 8))
		}
	}
	page := w.page(gram, len(w.buffer))
	page.Data = binary.AppendUvarint(page.Data, uint64(gram-w.last))
	page.Data = binary.AppendUvarint(page.Data, uint64(len(w.buffer))<<1|asBits)
	page.Data = append(page.Data, w.buffer...)
	w.last = gram
}

// page is the one that the gram goes to.
func (w *writer) page(gram Gram, size int) *Page {
	if n := len(w.pages); n > 0 && len(w.pages[n-1].Data)+size < pageSize {
		return &w.pages[n-1]
	}
	w.last = gram
	w.pages = append(w.pages, Page{First: gram})
	return &w.pages[len(w.pages)-1]
}

// cursor goes through the entries of pages in order.
type cursor struct {
	pages []Page // those after the present one
	gram  Gram
	data  []byte
	entry entry
}

// next goes to the next entry, and reports whether there is one.
func (c *cursor) next() (bool, error) {
	for len(c.data) == 0 {
		if len(c.pages) == 0 {
			return false, nil
		}
		c.gram, c.data, c.pages = c.pages[0].First, c.pages[0].Data, c.pages[1:]
	}
	e, rest, err := next(c.gram, c.data)
	if err != nil {
		return false, err
	}
	c.gram, c.data, c.entry = e.gram, rest, e
	return true, nil
}
