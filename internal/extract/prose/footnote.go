package prose

import "fmt"

// Footnotes numbers the notes of a text and collects those that are not written yet.
type Footnotes struct {
	written int
	pending []string
}

// Refer writes the number of a note in place of the reference to it.
func (f *Footnotes) Refer(out *Output, note string) {
	if note == "" {
		return
	}
	f.pending = append(f.pending, note)
	out.Write(fmt.Sprintf("[%d]", f.written+len(f.pending)))
}

// Write writes the pending notes, after the paragraph or table that refers to them.
func (f *Footnotes) Write(out *Output) {
	if out.Cells > 0 || len(f.pending) == 0 {
		return
	}
	for _, note := range f.pending {
		f.written++
		out.Line()
		out.Write(fmt.Sprintf("[%d] %s", f.written, note))
	}
	f.pending = nil
	out.Paragraph()
}
