package grams

import (
	"cmp"
	"slices"
)

// Build returns the pages of a block of texts, each given as its casefold.Key. The place of
// a text is its index.
func Build(texts []string) []Page {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	found := make([]occurrence, 0, size) // a text has about as many grams as bytes, at most
	for place, text := range texts {
		for _, gram := range Of(text) {
			found = append(found, occurrence{gram: gram, place: place})
		}
	}
	slices.SortFunc(found, func(a, b occurrence) int { return cmp.Compare(a.gram, b.gram) })
	var w writer
	set := NewSet(len(texts))
	for i, o := range found {
		set.Add(o.place)
		if i == len(found)-1 || found[i+1].gram != o.gram {
			w.add(o.gram, set)
			clear(set)
		}
	}
	return w.pages
}

// occurrence is a gram and the place of a text that contains it.
type occurrence struct {
	gram  Gram
	place int
}

// Part is a block to merge: its pages, and the new place of each of its texts, or -1 for
// those that are left out.
type Part struct {
	Pages  []Page
	Places []int
}

// Merge returns the pages of a block with n texts that is merged from parts.
func Merge(parts []Part, n int) ([]Page, error) {
	var w writer
	merged := NewSet(n)
	m, err := newMerger(parts)
	if err != nil {
		return nil, err
	}
	for len(m.cursors) > 0 {
		gram := m.least()
		if err := m.take(gram, merged); err != nil {
			return nil, err
		}
		if merged.Len() > 0 {
			w.add(gram, merged)
			clear(merged)
		}
	}
	return w.pages, nil
}

// merger iterates over several blocks at once.
type merger struct {
	parts   []Part
	cursors []*cursor
	buffers []Set // the places of one gram, by part
}

func newMerger(parts []Part) (*merger, error) {
	m := &merger{}
	for _, part := range parts {
		c := &cursor{pages: part.Pages}
		more, err := c.next()
		if err != nil {
			return nil, err
		}
		if more {
			m.parts, m.cursors = append(m.parts, part), append(m.cursors, c)
			m.buffers = append(m.buffers, NewSet(len(part.Places)))
		}
	}
	return m, nil
}

// least returns the lowest gram of the cursors.
func (m *merger) least() Gram {
	least := m.cursors[0].gram
	for _, c := range m.cursors[1:] {
		least = min(least, c.gram)
	}
	return least
}

// take adds the places of a gram to a set, and advances the parts that have it.
func (m *merger) take(gram Gram, merged Set) error {
	for i := 0; i < len(m.cursors); {
		if m.cursors[i].gram != gram {
			i++
			continue
		}
		if err := m.places(i, merged); err != nil {
			return err
		}
		more, err := m.cursors[i].next()
		if err != nil {
			return err
		}
		if more {
			i++
			continue
		}
		m.parts, m.cursors = slices.Delete(m.parts, i, i+1), slices.Delete(m.cursors, i, i+1)
		m.buffers = slices.Delete(m.buffers, i, i+1)
	}
	return nil
}

// places adds the places of a part's current gram to a set.
func (m *merger) places(i int, merged Set) error {
	old := m.buffers[i]
	clear(old)
	if err := m.cursors[i].entry.addTo(old); err != nil {
		return err
	}
	for place := range old.All() {
		if place >= len(m.parts[i].Places) {
			return ErrDamaged
		}
		if to := m.parts[i].Places[place]; to >= 0 {
			merged.Add(to)
		}
	}
	return nil
}

// Texts returns the grams of each text of a block with n texts, in order, each once.
func Texts(pages []Page, n int) ([][]Gram, error) {
	texts := make([][]Gram, n)
	places := NewSet(n)
	c := cursor{pages: pages}
	for {
		more, err := c.next()
		if err != nil || !more {
			return texts, err
		}
		clear(places)
		if err := c.entry.addTo(places); err != nil {
			return nil, err
		}
		for place := range places.All() {
			if place >= n {
				return nil, ErrDamaged
			}
			texts[place] = append(texts[place], c.gram)
		}
	}
}
