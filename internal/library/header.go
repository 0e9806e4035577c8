package library

import (
	"io"
	"strings"
	"unicode"

	"parley/internal/extract/prose"
)

const (
	// headerBytes is how much of a sheet is searched for its header row.
	headerBytes = 1024
	// titleRows is how many rows, such as a title, may precede the header row.
	titleRows = 4
)

// sheetHeaders finds the header rows of a document's sheets.
type sheetHeaders struct {
	text    io.ReadSeeker
	anchors prose.Anchors
	sheet   int // offset of the sheet that first is of
	first   string
}

func newSheetHeaders(text io.ReadSeeker, anchors prose.Anchors) *sheetHeaders {
	return &sheetHeaders{text: text, anchors: anchors, sheet: -1}
}

// before returns the header row of the sheet that an offset in the text belongs to, or "" if
// there is none before the offset.
func (h *sheetHeaders) before(offset int) (string, error) {
	sheet := -1
	for _, anchor := range h.anchors {
		if anchor.Offset > offset {
			break
		}
		sheet = -1
		if strings.HasPrefix(anchor.Name, "sheet ") && anchor.Offset >= 0 {
			sheet = anchor.Offset
		}
	}
	if sheet < 0 {
		return "", nil
	}
	if sheet != h.sheet {
		if _, err := h.text.Seek(int64(sheet), io.SeekStart); err != nil {
			return "", err
		}
		first, err := io.ReadAll(io.LimitReader(h.text, headerBytes))
		if err != nil {
			return "", err
		}
		h.sheet, h.first = sheet, string(first)
	}
	return headerRow(h.first[:min(len(h.first), offset-sheet)]), nil
}

// headerRow returns the first row of a sheet that has several cells if all of them are
// labels, and "" otherwise.
func headerRow(text string) string {
	rows := 0
	for line := range strings.Lines(text) {
		row, whole := strings.CutSuffix(line, "\n")
		cells := strings.FieldsFunc(row, func(r rune) bool { return r == '\t' })
		if rows++; !whole || rows > titleRows+1 {
			return ""
		}
		if len(cells) < 2 {
			continue
		}
		for _, cell := range cells {
			if !isLabel(cell) {
				return ""
			}
		}
		return row
	}
	return ""
}

// isLabel reports whether a cell can name a column: it has letters or is a year.
func isLabel(cell string) bool {
	isYear := len(cell) == 4 && !strings.ContainsFunc(cell, func(r rune) bool { return r < '0' || r > '9' })
	return isYear || strings.ContainsFunc(cell, unicode.IsLetter) && !strings.HasPrefix(cell, "=")
}

// setHeader gives a passage that begins with a row the header row of its sheet.
func (p *Passage) setHeader(header string) {
	first, _, _ := strings.Cut(p.Text, "\n")
	if strings.Contains(first, "\t") {
		p.Header = header
	}
}
