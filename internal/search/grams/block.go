package grams

import (
	"cmp"
	"slices"
)

// Build returns the pages of a block of texts, each given as its casefold.Key. The place of
// a text is its index.
func Build(texts []string) []Page {
	var w writer
	set := NewSet(len(texts))
	for left := newFronts(texts); len(left) > 0; {
		gram := left[0].grams[0]
		for len(left) > 0 && left[0].grams[0] == gram {
			set.Add(left[0].place)
			left = left.advance()
		}
		w.add(gram, set)
		clear(set)
	}
	return w.pages
}

// front is what is left of the grams of a text, in order.
type front struct {
	grams []Gram
	place int
}

// fronts is a heap: each one's first gram is not above those of the two below it, which are at twice its index plus one
// and plus two.
type fronts []front

func newFronts(texts []string) fronts {
	all := make(fronts, 0, len(texts))
	for place, text := range texts {
		if grams := Of(text); len(grams) > 0 {
			all = append(all, front{grams: grams, place: place})
		}
	}
	slices.SortFunc(all, func(a, b front) int { return cmp.Compare(a.grams[0], b.grams[0]) })
	return all
}

// advance removes the least gram.
func (f fronts) advance() fronts {
	if f[0].grams = f[0].grams[1:]; len(f[0].grams) == 0 {
		f[0] = f[len(f)-1]
		f = f[:len(f)-1]
	}
	for at := 0; 2*at+1 < len(f); {
		below := 2*at + 1
		if below+1 < len(f) && f[below+1].grams[0] < f[below].grams[0] {
			below++
		}
		if f[at].grams[0] <= f[below].grams[0] {
			break
		}
		f[at], f[below] = f[below], f[at]
		at = below
	}
	return f
}

// Part is a block to merge: its pages, and the new place of each of its texts, or -1 for
// those that are left out.
type Part struct {
	Pages  []Page
	Places []int
}

// Merge merges parts into a block with n texts and returns its pages.
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
