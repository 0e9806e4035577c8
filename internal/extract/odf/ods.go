package odf

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"parley/internal/extract/cells"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// maxRepeats limits how often a row or a cell is written, if the file has it once with a count.
const maxRepeats = 1000

// ReadODS reads an OpenDocument spreadsheet: all sheets, one row per line, the cells as
// displayed, and the comments, text boxes and charts after each.
func ReadODS(out *prose.Output, a *zipxml.Archive) error {
	out.Symbols = true
	content, err := readContent(a)
	if err != nil {
		return err
	}
	s := &odsReader{out: out, objects: newObjectReader(a)}
	return cmp.Or(zipxml.Visit(content, zipxml.Visitor{Start: s.start, End: s.end, Text: s.text}), s.failed)
}

type odsReader struct {
	out    *prose.Output
	sheet  string
	tables int // depth of tables; the outermost are sheets
	row    odsRow
	inBody bool // within a cell or the shapes of the sheet
	cell   odsCell
	body   zipxml.Visitor // reads the content of the cell or shapes
	shown  *prose.Output  // their text
	reader *bodyReader

	rows, columns int // in front of the cell
	comments      commentReader

	objects *objectReader
	boxes   string   // the text of the sheet's shapes
	drawn   []string // the references of the sheet to objects
	failed  error    // of an object
}

// odsRow is a row of a sheet and how often it is repeated.
type odsRow struct {
	cells  []odsCell
	times  int
	filled bool
}

type odsCell struct {
	text  string // what the cell shows, or else its value or formula
	times int
}

func (s *odsReader) start(e zipxml.Element) bool {
	if e.Name == "table" {
		s.tables++
	}
	switch {
	case s.inBody:
		if e.Name == "object" {
			s.drawn = append(s.drawn, e.Attr("href"))
		}
		return s.body.Start(e)
	case e.Name == "tracked-changes":
		return false
	case s.tables != 1:
		return true
	}
	switch e.Name {
	case "table":
		s.sheet = "sheet " + e.Attr("name")
		s.out.Page(s.sheet)
		s.rows = 0
	case "table-row":
		s.columns = 0
		s.row = odsRow{times: repeats(e, "number-rows-repeated")}
	case "table-cell", "covered-table-cell":
		s.cell = odsCell{valueOf(e), repeats(e, "number-columns-repeated")}
		s.beginBody()
	case "shapes":
		s.beginBody()
	}
	return true
}

func (s *odsReader) beginBody() {
	s.inBody = true
	s.shown = &prose.Output{Limit: s.out.Limit}
	s.reader = &bodyReader{out: s.shown, later: true}
	s.body = s.reader.visitor()
}

// repeats returns how often an element counts. It is at least once.
func repeats(e zipxml.Element, attr string) int {
	n, _ := strconv.Atoi(e.Attr(attr))
	return max(1, n)
}

// valueOf returns the value of a cell, or its formula if it has no value.
func valueOf(e zipxml.Element) string {
	for _, attr := range []string{"string-value", "date-value", "time-value", "boolean-value", "value"} {
		if value := e.Attr(attr); value != "" {
			return value
		}
	}
	// The prefix of a formula names its language.
	if _, formula, ok := strings.Cut(e.Attr("formula"), "="); ok {
		return "=" + formula
	}
	return ""
}

func (s *odsReader) text(text string) {
	if s.inBody {
		s.body.Text(text)
	}
}

func (s *odsReader) end(name string) {
	if name == "table" {
		s.tables--
	}
	switch {
	case s.tables > 1 || s.tables == 1 && name == "table":
		if s.inBody {
			s.body.End(name)
		}
	case s.tables < 1 && name != "table": // outside of all sheets
	case name == "table":
		s.comments.flush(s.out)
		s.writeDrawings()
	case name == "shapes":
		s.inBody, s.boxes = false, s.shown.String()
	case name == "table-cell", name == "covered-table-cell":
		s.endCell()
	case s.inBody:
		s.body.End(name)
	case name == "table-row":
		s.writeRow()
	}
}

func (s *odsReader) endCell() {
	s.inBody = false
	if shown := strings.Join(strings.Fields(s.shown.String()), " "); shown != "" {
		s.cell.text = shown
	}
	for _, c := range s.reader.comments.pending {
		c.Place = cells.Name(s.columns+1, s.rows+1)
		s.comments.pending = append(s.comments.pending, c)
	}
	s.columns += s.cell.times
	s.row.cells = append(s.row.cells, s.cell)
	s.row.filled = s.row.filled || s.cell.text != ""
}

// writeDrawings writes the text boxes and charts of the sheet.
func (s *odsReader) writeDrawings() {
	s.out.Paragraph()
	s.out.Verbatim(s.boxes)
	for _, href := range s.drawn {
		s.failed = cmp.Or(s.failed, s.objects.read(s.out, href))
	}
	s.boxes, s.drawn = "", nil
}

// writeRow writes a row. It skips empty ones.
func (s *odsReader) writeRow() {
	s.rows += s.row.times
	if !s.row.filled {
		return
	}
	for range s.bound(s.row.times, "row") {
		column := 0
		for _, cell := range s.row.cells {
			times := min(cell.times, prose.MaxTabs)
			if cell.text != "" {
				times = s.bound(cell.times, "cell")
			}
			for range times {
				s.out.EnterCell(column == 0)
				s.out.Write(cell.text)
				s.out.LeaveCell()
				column++
			}
			if s.out.Full {
				return
			}
		}
	}
	s.out.Line()
}

// bound returns how often a row or a cell is written. It adds a note if this is less often than the file says.
func (s *odsReader) bound(times int, what string) int {
	if times <= maxRepeats {
		return times
	}
	s.out.Note(fmt.Sprintf("%s has a %s %d times, of which %d were read", s.sheet, what, times, maxRepeats))
	return maxRepeats
}
