package ooxml

import (
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// ReadWordXML reads a document of Word 2003 in a single XML file.
func ReadWordXML(out *prose.Output, file []byte) error {
	out.Symbols = true
	w := &wordReader{out: out}
	body := w.visitor()
	start := body.Start
	body.Start = func(e zipxml.Element) bool {
		switch e.Name {
		case "styles", "lists", "fonts", "docPr", "DocumentProperties", "binData":
			return false
		}
		return start(e)
	}
	return zipxml.Visit(file, body)
}

// ReadSheetXML reads a workbook of Excel 2003 in a single XML file: all sheets, one row per line.
func ReadSheetXML(out *prose.Output, file []byte) error {
	s := &sheetXMLReader{out: out}
	return zipxml.Visit(file, zipxml.Visitor{Start: s.start, End: s.end, Text: s.write})
}

type sheetXMLReader struct {
	out     *prose.Output
	column  int // the last one of the row
	covered int // columns after it that it spans
	last    int // the last column of the row that has text
	inData  bool
	isDate  bool
	text    strings.Builder
}

func (s *sheetXMLReader) start(e zipxml.Element) bool {
	switch e.Name {
	case "DocumentProperties", "Styles", "Comment", "WorksheetOptions":
		return false
	case "Worksheet":
		s.out.Page("sheet " + e.Attr("Name"))
	case "Row":
		s.column, s.covered, s.last = 0, 0, 0
		return !s.out.Full
	case "Cell":
		s.column += s.covered + 1
		if column, err := strconv.Atoi(e.Attr("Index")); err == nil && column > s.last {
			s.column = column
		}
		s.covered, _ = strconv.Atoi(e.Attr("MergeAcross"))
		s.text.Reset()
	case "Data":
		s.inData, s.isDate = true, e.Attr("Type") == "DateTime"
	}
	return true
}

func (s *sheetXMLReader) end(name string) {
	switch name {
	case "Data":
		s.inData = false
	case "Cell":
		text := s.text.String()
		if s.isDate {
			text = strings.TrimSuffix(strings.TrimSuffix(text, ".000"), "T00:00:00")
		}
		if strings.TrimSpace(text) == "" {
			return
		}
		s.out.EnterCell(s.last == 0)
		s.out.SkipCells(s.column - s.last - 1)
		s.out.Write(text)
		s.out.LeaveCell()
		s.last = s.column
	}
}

func (s *sheetXMLReader) write(text string) {
	if s.inData {
		s.text.WriteString(text)
	}
}
