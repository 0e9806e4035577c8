package grams

import (
	"encoding/binary"
	"errors"
)

// pageSize is the size of a full page in bytes. With the overhead of its row it fills one
// page of SQLite.
const pageSize = 3_800

// Page is a range of a block's grams with the places of each. Data has for each gram: the
// difference to the gram before (for the first one: to First), twice the size of the
// places in bytes (plus one if they are bits), and the places, as bits or as differences
// between places.
type Page struct {
	First Gram
	Data  []byte
}

// ErrDamaged is returned for invalid pages and names.
var ErrDamaged = errors.New("the search index is damaged")

// entry is a gram of a page.
type entry struct {
	gram   Gram
	bits   bool
	places []byte
}

// next reads the entry at the beginning of data and returns the data after it. before is
// the gram of the entry before.
func next(before Gram, data []byte) (e entry, rest []byte, err error) {
	difference, n := binary.Uvarint(data)
	if n <= 0 {
		return e, nil, ErrDamaged
	}
	size, m := binary.Uvarint(data[n:])
	if m <= 0 || size/2 > uint64(len(data)-n-m) {
		return e, nil, ErrDamaged
	}
	data = data[n+m:]
	return entry{gram: before + Gram(difference), bits: size%2 == 1, places: data[:size/2]}, data[size/2:], nil
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
		difference, n := binary.Uvarint(data)
		if place += difference; n <= 0 || difference > uint64(len(found)*64) || place >= uint64(len(found)*64) {
			return ErrDamaged
		}
		found.Add(int(place))
		data = data[n:]
	}
	return nil
}

// writer writes the pages of a block. The grams are added in order.
type writer struct {
	pages  []Page
	last   Gram
	buffer []byte
}

// add adds a gram with its places. There must be at least one place.
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

// page returns the page for a gram.
func (w *writer) page(gram Gram, size int) *Page {
	if n := len(w.pages); n > 0 && len(w.pages[n-1].Data)+size < pageSize {
		return &w.pages[n-1]
	}
	w.last = gram
	w.pages = append(w.pages, Page{First: gram, Data: make([]byte, 0, pageSize)})
	return &w.pages[len(w.pages)-1]
}

// cursor iterates over the entries of pages.
type cursor struct {
	pages []Page // those after the current one
	gram  Gram
	data  []byte
	entry entry
}

// next moves to the next entry and reports whether there is one.
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
