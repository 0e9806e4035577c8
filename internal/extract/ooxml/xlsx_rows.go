package ooxml

import (
	"strconv"
	"strings"

	"parley/internal/extract/cells"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readStyles reads the number formats, and which of them each style has.
func (w *workbook) readStyles(content []byte) error {
	inCells := false
	return zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			switch e.Name {
			case "numFmt":
				if id, err := strconv.Atoi(e.Attr("numFmtId")); err == nil {
					w.formats.Patterns[id] = e.Attr("formatCode")
				}
			case "cellXfs":
				inCells = true
			case "xf":
				if inCells {
					format, _ := strconv.Atoi(e.Attr("numFmtId"))
					w.styles = append(w.styles, format)
				}
			}
			return true
		},
		End: func(name string) {
			if name == "cellXfs" {
				inCells = false
			}
		},
	})
}

// readStrings reads the texts that cells refer to by their numbers.
func (w *workbook) readStrings(content []byte) error {
	inText := false
	var text strings.Builder
	return zipxml.Visit(content, zipxml.Visitor{
		Start: func(e zipxml.Element) bool {
			inText = e.Name == "t"
			return e.Name != "rPh" // how the text is pronounced
		},
		End: func(name string) {
			inText = false
			if name == "si" {
				w.strings = append(w.strings, text.String())
				text.Reset()
			}
		},
		Text: func(s string) {
			if inText {
				text.WriteString(s)
			}
		},
	})
}

// rowReader reads the rows of a sheet.
type rowReader struct {
	out    *prose.Output
	book   *workbook
	column int // the last one of the row; 0 is none
	last   int // the last one of the row that has text

	cell           xlsxCell
	within         string
	value, formula strings.Builder
}

// xlsxCell is what the element of a cell says.
type xlsxCell struct {
	kind  string
	style int
}

func (w *workbook) readRows(out *prose.Output, content []byte) error {
	r := &rowReader{out: out, book: w}
	return zipxml.Visit(content, zipxml.Visitor{
		Start: r.start,
		End: func(name string) {
			r.within = ""
			if name == "c" {
				r.end()
			}
		},
		Text: func(s string) {
			switch r.within {
			case "v", "t":
				r.value.WriteString(s)
			case "f":
				r.formula.WriteString(s)
			}
		},
	})
}

func (r *rowReader) start(e zipxml.Element) bool {
	r.within = e.Name
	switch e.Name {
	case "row":
		r.column, r.last = 0, 0
		return !r.out.Full
	case "c":
		r.column++
		if column := cells.Column(e.Attr("r")); column > 0 {
			r.column = column
		}
		style, err := strconv.Atoi(e.Attr("s"))
		if err != nil {
			style = -1
		}
		r.cell = xlsxCell{kind: e.Attr("t"), style: style}
		r.value.Reset()
		r.formula.Reset()
	case "rPh":
		return false
	}
	return true
}

// end writes a cell. Its place among the columns is kept, unless cells are out of order.
func (r *rowReader) end() {
	text := r.text()
	if text == "" {
		return
	}
	r.out.EnterCell(r.last == 0)
	r.out.SkipCells(r.column - r.last - 1)
	r.out.Write(text)
	r.out.LeaveCell()
	r.last = max(r.last, r.column)
}

// text returns what a cell says. A formula that was never calculated stands for its value.
func (r *rowReader) text() string {
	value := strings.TrimSpace(r.value.String())
	if value == "" {
		if formula := strings.TrimSpace(r.formula.String()); formula != "" {
			return "=" + formula
		}
		return ""
	}
	switch r.cell.kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && 0 <= i && i < len(r.book.strings) {
			return r.book.strings[i]
		}
		return ""
	case "b":
		return strings.ToUpper(strconv.FormatBool(value != "0"))
	case "", "n":
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			return r.book.formats.Number(number, r.book.format(r.cell.style))
		}
	}
	return value
}

// format returns the number format of a style.
func (w *workbook) format(style int) int {
	if 0 <= style && style < len(w.styles) {
		return w.styles[style]
	}
	return 0
}
