package extract

import "fmt"

// footnotes are the notes that a text refers to and that are still to be written.
type footnotes struct {
	given int
	due   []string
}

// refer puts the number of a note where it is referred to.
func (f *footnotes) refer(out *output, note string) {
	if note == "" {
		return
	}
	f.due = append(f.due, note)
	out.write(fmt.Sprintf("[%d]", f.given+len(f.due)))
}

// give writes the notes after the paragraph or the table that refers to them.
func (f *footnotes) give(out *output) {
	if out.cells > 0 || len(f.due) == 0 {
		return
	}
	for _, note := range f.due {
		f.given++
		out.line()
		out.write(fmt.Sprintf("[%d] %s", f.given, note))
	}
	f.due = nil
	out.paragraph()
}
