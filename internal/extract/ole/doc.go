package ole

import (
	"slices"

	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// Offsets in the header of a document of Word 97 to 2003.
const (
	docMagic      = 0xA5EC
	docFlags      = 0x0A
	docEncrypted  = 0x0100
	docTable1     = 0x0200
	docLengths    = 0x4C // the number of characters of the text, then of the parts after it
	docNoteRefs   = 0xAA
	docNoteTexts  = 0xB2
	docProperties = 0x102
	docPieces     = 0x1A2
	docEndRefs    = 0x20A
	docEndTexts   = 0x212
)

// The parts of the text, in their order in the file.
const (
	docBody = iota
	docFootnotes
	docHeaders
	docMacros
	docComments
	docEndnotes
	docTextBoxes
	docHeaderBoxes
	docParts
)

// docPiece is a run of characters that lie together in the file.
type docPiece struct {
	start, end int // of the characters in the text
	offset     int // in the stream
	narrow     bool
}

type docReader struct {
	main, table Data
	pieces      []docPiece
	paragraphs  docParagraphs
	parts       [docParts + 1]int // where each part starts, and the end of the last
	notes       map[int][2]int    // the text of a footnote or endnote, by the place of its reference
}

// ReadDOC reads a document of Word 97 to 2003: its text with footnotes, then headers and text boxes.
func ReadDOC(out *prose.Output, c *Compound) error {
	out.Symbols = true
	main, err := c.Read("WordDocument")
	if err != nil {
		return err
	}
	d := &docReader{main: main, notes: make(map[int][2]int)}
	switch flags := d.main.u16(docFlags); {
	case d.main.u16(0) != docMagic:
		return prose.ErrUnsupported // Word 6 and earlier
	case flags&docEncrypted != 0:
		return prose.ErrEncrypted
	case flags&docTable1 != 0:
		d.table, err = c.Read("1Table")
	default:
		d.table, err = c.Read("0Table")
	}
	if err != nil {
		return err
	}
	if d.pieces = d.readPieces(); len(d.pieces) == 0 {
		return prose.ErrBroken.WithCause(errPart)
	}
	for i := range docParts {
		d.parts[i+1] = d.parts[i] + d.main.U32(docLengths+4*i)
	}
	d.paragraphs = d.readParagraphs()
	d.findNotes(docNoteRefs, docNoteTexts, docFootnotes)
	d.findNotes(docEndRefs, docEndTexts, docEndnotes)
	for _, part := range []int{docBody, docTextBoxes, docHeaders, docHeaderBoxes} {
		d.write(out, d.parts[part], d.parts[part+1])
		out.Paragraph()
	}
	return nil
}

// block returns a part of the table stream. Its place and size are in the header.
func (d *docReader) block(header int) Data {
	return d.table.From(d.main.U32(header), d.main.U32(header+4))
}

// readPieces reads the table of pieces, after the records that may precede it.
func (d *docReader) readPieces() []docPiece {
	const properties, table = 1, 2
	block := d.block(docPieces)
	for block.u8(0) == properties && len(block) > 3 {
		block = block.From(3+block.u16(1), len(block))
	}
	if block.u8(0) != table {
		return nil
	}
	block = block.From(5, block.U32(1))
	count := (len(block) - 4) / 12
	var pieces []docPiece
	for i := range max(count, 0) {
		piece := docPiece{start: block.U32(4 * i), end: block.U32(4*i + 4), offset: block.U32(4*(count+1) + 8*i + 2)}
		if piece.narrow = piece.offset&(1<<30) != 0; piece.narrow {
			piece.offset = piece.offset &^ (1 << 30) / 2
		}
		if last := len(pieces) - 1; piece.end < piece.start || last >= 0 && piece.start < pieces[last].end {
			return pieces
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// findNotes finds the texts of notes by their references.
func (d *docReader) findNotes(refs, texts, part int) {
	references, ends := d.block(refs), d.block(texts)
	for i := range max(0, (len(references)-4)/6) {
		start, end := d.parts[part]+ends.U32(4*i), d.parts[part]+ends.U32(4*i+4)
		if start < end && end <= d.parts[part+1] {
			d.notes[references.U32(4*i)] = [2]int{start, end}
		}
	}
}

// characters calls do for the characters of a part of the text until do returns false, with their places
// in the text and in the stream.
func (d *docReader) characters(start, end int, do func(at, offset int, r rune) bool) {
	first, _ := slices.BinarySearchFunc(d.pieces, start, func(p docPiece, at int) int { return p.end - 1 - at })
	for _, piece := range d.pieces[min(first, len(d.pieces)):] {
		if piece.start >= end {
			return
		}
		from, to := max(start, piece.start), min(end, piece.end)
		width := 2
		if piece.narrow {
			width = 1
		}
		offset := piece.offset + (from-piece.start)*width
		content := d.main.From(offset, (to-from)*width)
		var text []rune
		if piece.narrow {
			text = []rune(content.Narrow(charset.DefaultCodePage))
		} else {
			text = wideUnits(content)
		}
		for i, r := range text {
			if !do(from+i, offset+i*width, r) {
				return
			}
		}
	}
}

// wideUnits returns one character for each unit of UTF-16. The first half of a pair becomes the whole character and the
// second half zero, which keeps places.
func wideUnits(d Data) []rune {
	units := make([]rune, len(d)/2)
	for i := range units {
		units[i] = rune(d.u16(2 * i))
		if i > 0 && units[i-1]&^0x3FF == 0xD800 && units[i]&^0x3FF == 0xDC00 {
			units[i-1] = (units[i-1]&0x3FF)<<10 | units[i]&0x3FF + 0x10000
			units[i] = 0
		}
	}
	return units
}
