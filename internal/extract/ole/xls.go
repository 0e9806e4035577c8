package ole

import (
	"strings"

	"parley/internal/extract/cells"
	"parley/internal/extract/charset"
	"parley/internal/extract/prose"
)

// Records of a workbook in the format of Excel 5 to 2003 that are read.
const (
	xlsFormula    = 0x0006
	xlsEnd        = 0x000A
	xlsDateMode   = 0x0022
	xlsPassword   = 0x002F
	xlsContinue   = 0x003C
	xlsCodePage   = 0x0042
	xlsSheet      = 0x0085
	xlsNumbers    = 0x00BD // RK numbers of neighboring cells
	xlsRichText   = 0x00D6
	xlsStyle      = 0x00E0
	xlsStrings    = 0x00FC
	xlsString     = 0x00FD
	xlsNumber     = 0x0203
	xlsLabel      = 0x0204
	xlsBoolError  = 0x0205
	xlsResult     = 0x0207 // the text that the formula before has given
	xlsRK         = 0x027E
	xlsFormat     = 0x041E
	xlsBegin      = 0x0809
	xlsVersion8   = 0x0600
	xlsWorksheet  = 0
	maxSheets     = 1000
	maxXLSColumns = 256
)

type xlsReader struct {
	out     *prose.Output
	book    Data
	unicode bool // Excel 97 and later
	page    int  // the code page of earlier texts
	sheets  []xlsSheetEntry
	strings []string
	formats cells.Formats
	styles  []int // the format of each style

	work     int     // bytes that may still be visited, since sheets may overlap in a bent file
	row, col int     // the last cell
	awaited  *[3]int // the formula that waits for its text
}

type xlsSheetEntry struct {
	name   string
	offset int
}

// ReadXLS reads a workbook of Excel 5 to 2003: all sheets, one row per line.
func ReadXLS(out *prose.Output, c *Compound) error {
	name := "Workbook"
	if !c.Has(name) {
		name = "Book"
	}
	book, err := c.Read(name)
	if err != nil {
		return err
	}
	x := &xlsReader{
		out: out, book: book, page: charset.DefaultCodePage, work: 3 * len(book),
		formats: cells.Formats{Patterns: make(map[int]string)},
	}
	if x.book.u16(0) != xlsBegin {
		return prose.ErrBroken.WithCause(errPart)
	}
	x.unicode = x.book.u16(4) >= xlsVersion8
	if err := x.each(0, x.global); err != nil {
		return err
	}
	for _, sheet := range x.sheets {
		out.Page("sheet " + sheet.name)
		x.row, x.col, x.awaited = -1, -1, nil
		if err := x.each(sheet.offset, x.cell); err != nil {
			return err
		}
		if out.Full {
			break
		}
	}
	return nil
}

// each calls do for the records of a substream, until it ends. A substream within it is skipped. The
// continuations of a record are passed with it.
func (x *xlsReader) each(offset int, do func(kind int, record Data, rest []Data) error) error {
	depth := 0
	for offset >= 0 && offset+4 <= len(x.book) && !x.out.Full {
		kind, record := x.record(offset)
		offset += 4 + len(record)
		if x.work -= 4 + len(record); x.work < 0 {
			return prose.ErrBroken.WithCause(errPart)
		}
		var rest []Data
		for offset+4 <= len(x.book) && x.book.u16(offset) == xlsContinue {
			_, next := x.record(offset)
			rest = append(rest, next)
			offset += 4 + len(next)
		}
		switch {
		case kind == xlsBegin:
			depth++
		case kind == xlsEnd:
			if depth--; depth <= 0 {
				return nil
			}
		case kind == xlsPassword:
			return prose.ErrEncrypted
		case depth <= 1:
			if err := do(kind, record, rest); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *xlsReader) record(offset int) (kind int, content Data) {
	return x.book.u16(offset), x.book.From(offset+4, x.book.u16(offset+2))
}

// global handles a record of the workbook.
func (x *xlsReader) global(kind int, record Data, rest []Data) error {
	switch kind {
	case xlsCodePage:
		x.page = record.u16(0)
	case xlsDateMode:
		x.formats.From1904 = record.u16(0) == 1
	case xlsSheet:
		if record.u8(5) == xlsWorksheet && len(x.sheets) < maxSheets {
			x.sheets = append(x.sheets, xlsSheetEntry{x.shortText(record.From(6, len(record))), record.U32(0)})
		}
	case xlsFormat:
		if x.unicode {
			x.formats.Patterns[record.u16(0)] = x.text(record.From(2, len(record)))
		} else {
			x.formats.Patterns[record.u16(0)] = x.shortText(record.From(2, len(record)))
		}
	case xlsStyle:
		x.styles = append(x.styles, record.u16(2))
	case xlsStrings:
		x.strings = sharedStrings(record, rest)
	}
	return nil
}

// shortText returns a text with its length in a byte.
func (x *xlsReader) shortText(d Data) string {
	if !x.unicode {
		return d.From(1, d.u8(0)).Narrow(x.page)
	}
	return xlsCharacters(d.From(2, len(d)), d.u8(0), d.u8(1))
}

// text returns a text with its length in two bytes.
func (x *xlsReader) text(d Data) string {
	if !x.unicode {
		return d.From(2, d.u16(0)).Narrow(x.page)
	}
	return xlsCharacters(d.From(3, len(d)), d.u16(0), d.u8(2))
}

func xlsCharacters(d Data, count, flags int) string {
	if flags&1 != 0 {
		return d.From(0, 2*count).Wide()
	}
	return latin1(d.From(0, count))
}

// latin1 returns bytes that are the lower halves of UTF-16 units.
func latin1(d Data) string {
	var text strings.Builder
	for _, b := range d {
		text.WriteRune(rune(b))
	}
	return text.String()
}
