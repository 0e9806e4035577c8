package html

import (
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
)

// tableGrid follows the columns of a table, so that what stands below a header stays below it where other cells span
// several columns or rows.
type tableGrid struct {
	row     int
	column  int   // the next one of the row
	covered []int // the row that is the first below the last cell of each column
	skipped int   // columns of the row without a cell, since its last one
}

// maxColumns limits the columns that are followed. Cells beyond stand side by side.
const maxColumns = 256

func (t *tableGrid) nextRow() {
	t.row++
	t.column, t.skipped = 0, 0
}

// place puts a cell into the row, and returns how many empty ones stand before it.
func (t *tableGrid) place(columns, rows int) int {
	for t.column < len(t.covered) && t.covered[t.column] > t.row {
		t.column++
		t.skipped++
	}
	skipped := t.skipped
	for range columns {
		if t.column < maxColumns {
			if t.column == len(t.covered) {
				t.covered = append(t.covered, 0)
			}
			t.covered[t.column] = t.row + rows
		}
		t.column++
	}
	t.skipped = columns - 1
	return skipped
}

// table returns the innermost table, or nil outside of tables.
func (h *pageReader) table() *tableGrid {
	if len(h.tables) == 0 {
		return nil
	}
	return &h.tables[len(h.tables)-1]
}

// span returns how many columns or rows a cell has.
func span(n *nethtml.Node, key string) int {
	number, err := strconv.Atoi(strings.TrimSpace(attribute(n, key)))
	if err != nil {
		return 1
	}
	return min(max(number, 1), maxColumns)
}
