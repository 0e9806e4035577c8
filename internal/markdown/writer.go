package markdown

import "slices"

const (
	// maxGrowth is how many bytes of HTML a byte of Markdown may become. Usual texts stay below 3.
	maxGrowth = 16
	// minRoom is how many bytes of HTML any text may become, however short it is.
	minRoom = 4 << 10
)

// writer collects the HTML of a text. It refuses what is over its limit before it takes memory.
type writer struct {
	out   []byte
	limit int
	full  bool // something was refused
	cells int  // how many the tables can still have

	detailsLeft  int // how many details elements can still be looked for
	unclosedLeft int // how many formulas can still lack an end
}

// newWriter returns a writer for the HTML of so many bytes of Markdown.
func newWriter(length int) *writer {
	return &writer{
		limit: maxGrowth*length + minRoom, cells: maxCells, detailsLeft: maxDetails, unclosedLeft: maxUnclosed,
	}
}

func (w *writer) write(html string) {
	if w.full = w.full || len(w.out)+len(html) > w.limit; !w.full {
		w.out = append(w.out, html...)
	}
}

// replace puts a tag in place of some bytes that were written before.
func (w *writer) replace(place, length int, tag string) {
	if w.full = w.full || len(w.out)-length+len(tag) > w.limit; !w.full {
		w.out = slices.Replace(w.out, place, place+length, []byte(tag)...)
	}
}
