package extract

import "fmt"

// footnotes numbers the notes of a text and collects those that are not written yet.
type footnotes struct {
	written int
	pending []string
}

// refer writes the number of a note in place of the reference to it.
func (f *footnotes) refer(out *output, note string) {
	if note == "" {
		return
	}
	f.pending = append(f.pending, note)
	out.write(fmt.Sprintf("[%d]", f.written+len(f.pending)))
}

// write writes the pending notes, after the paragraph or table that refers to them.
func (f *footnotes) write(out *output) {
	if out.cells > 0 || len(f.pending) == 0 {
		return
	}
	for _, note := range f.pending {
		f.written++
		out.line()
		out.write(fmt.Sprintf("[%d] %s", f.written, note))
	}
	f.pending = nil
	out.paragraph()
}
