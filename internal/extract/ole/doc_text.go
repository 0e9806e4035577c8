package ole

import (
	"strings"

	"parley/internal/extract/prose"
)

// Characters with a meaning in a document of Word.
const (
	docNote       = 0x02
	docCellEnd    = 0x07
	docLineEnd    = 0x0B
	docPageEnd    = 0x0C
	docEnd        = 0x0D // of a paragraph
	docColumnEnd  = 0x0E
	docFieldStart = 0x13
	docFieldText  = 0x14
	docFieldEnd   = 0x15
	docHyphen     = 0x1E
)

// docWriter writes a part of the text.
type docWriter struct {
	doc       *docReader
	out       *prose.Output
	footnotes prose.Footnotes
	codes     []bool // for each open field, whether its code is being read, not its text
	hidden    int    // how many of them are
	begun     bool   // the paragraph has begun
	cell      int    // the number of the cell in its row
	inCell    bool
	tabled    bool // the last text was a table
}

// write writes the characters from start to end.
func (d *docReader) write(out *prose.Output, start, end int) {
	w := &docWriter{doc: d, out: out}
	d.characters(start, end, func(at, offset int, r rune) bool {
		w.character(at, offset, r)
		return !out.Full
	})
	w.endCell(true)
	w.footnotes.Write(out)
}

func (w *docWriter) character(at, offset int, r rune) {
	switch r {
	case docFieldStart:
		w.codes = append(w.codes, true)
		w.hidden++
	case docFieldText, docFieldEnd:
		w.endCode(r == docFieldEnd)
	case docEnd, docPageEnd, docColumnEnd:
		w.begun = false
		w.out.Paragraph()
		w.footnotes.Write(w.out)
	case docCellEnd:
		rowEnded := w.doc.paragraphs.at(offset).rowEnded
		if !rowEnded {
			w.begin(offset)
		}
		w.endCell(rowEnded)
	default:
		if w.hidden == 0 {
			w.visible(at, offset, r)
		}
	}
}

// endCode ends the code of a field, and the field if last is set.
func (w *docWriter) endCode(last bool) {
	open := len(w.codes) - 1
	if open < 0 {
		return
	}
	if w.codes[open] {
		w.hidden--
		w.codes[open] = false
	}
	if last {
		w.codes = w.codes[:open]
	}
}

// begin starts a paragraph or a cell.
func (w *docWriter) begin(offset int) {
	if w.begun {
		return
	}
	w.begun = true
	paragraph := w.doc.paragraphs.at(offset)
	if !paragraph.inTable && w.tabled {
		w.out.Paragraph()
		w.tabled = false
	}
	switch {
	case paragraph.inTable && !w.inCell:
		w.out.EnterCell(w.cell == 0)
		w.inCell, w.tabled = true, true
	case paragraph.inTable:
	case paragraph.heading > 0:
		w.out.Heading(paragraph.heading)
	case paragraph.item:
		w.out.Item()
	}
}

// endCell ends a cell, and its row if last is set.
func (w *docWriter) endCell(last bool) {
	if w.inCell {
		w.out.LeaveCell()
		w.inCell = false
		w.cell++
	}
	w.begun = false
	if last {
		w.cell = 0
		w.footnotes.Write(w.out)
	}
}

func (w *docWriter) visible(at, offset int, r rune) {
	if r > ' ' || r == docNote {
		w.begin(offset)
	}
	switch {
	case r == docNote:
		if note, ok := w.doc.notes[at]; ok {
			w.footnotes.Refer(w.out, w.doc.plain(note[0], note[1]))
		}
	case r == docHyphen:
		w.out.Write("-")
	case r == docLineEnd:
		w.out.Line()
	case r == '\t':
		w.out.Tab()
	case r >= ' ':
		w.out.Write(string(r))
	}
}

// plain returns a part of the text in one line.
func (d *docReader) plain(start, end int) string {
	var text strings.Builder
	d.characters(start, end, func(_, _ int, r rune) bool {
		if r <= ' ' {
			r = ' '
		}
		text.WriteRune(r)
		return true
	})
	return strings.Join(strings.Fields(text.String()), " ")
}
