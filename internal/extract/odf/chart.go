package odf

import (
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// chartReader reads a chart of an OpenDocument file. Its values are in a table. The first row has the names of the
// series, and the first column has the categories.
type chartReader struct {
	chart   prose.Chart
	isAxis  bool
	isTitle bool
	header  bool // within the first row of the table
	names   []string
	rows    [][]string
	row     []string
	inCell  bool
	value   string // of the cell
	times   int    // how often the cell counts
	shown   strings.Builder
}

func (r *chartReader) start(e zipxml.Element) bool {
	switch e.Name {
	case "legend", "data-label", "g", "desc":
		return false
	case "axis":
		r.isAxis = true
	case "title", "subtitle":
		r.isTitle = true
		r.shown.Reset()
	case "table-header-rows":
		r.header = true
	case "table-row":
		r.row = nil
	case "table-cell":
		r.inCell, r.value, r.times = true, e.Attr("value"), repeats(e, "number-columns-repeated")
		r.shown.Reset()
	case "p", "s", "tab", "line-break":
		r.shown.WriteByte(' ')
	}
	return true
}

func (r *chartReader) text(s string) {
	if (r.isTitle || r.inCell) && r.shown.Len() < prose.MaxChartLabel {
		r.shown.WriteString(s)
	}
}

func (r *chartReader) end(name string) {
	switch name {
	case "axis":
		r.isAxis = false
	case "title", "subtitle":
		r.isTitle = false
		r.chart.Entitle(r.shown.String(), r.isAxis)
	case "table-header-rows":
		r.header = false
	case "table-cell":
		r.endCell()
	case "table-row":
		if r.header {
			r.names = r.row
		} else {
			r.rows = append(r.rows, r.row)
		}
	}
}

func (r *chartReader) endCell() {
	r.inCell = false
	text := strings.Join(strings.Fields(r.shown.String()), " ")
	switch r.value {
	case "":
	case "NaN": // there is no such point
		text = ""
	default:
		text = prose.Displayed(r.value, "")
	}
	for range min(r.times, prose.MaxSeries+1-min(len(r.row), prose.MaxSeries+1)) {
		r.row = append(r.row, text)
	}
}

// addSeries makes a series of each column of the table that has values.
func (r *chartReader) addSeries() {
	columns := len(r.names)
	categories := make(map[int]string)
	for i, row := range r.rows {
		columns = max(columns, len(row))
		if len(row) > 0 && row[0] != "" {
			categories[i] = row[0]
		}
	}
	for column := 1; column < columns; column++ {
		s := &prose.Series{Categories: categories, Values: make(map[int]string)}
		if column < len(r.names) {
			s.Name = r.names[column]
		}
		for i, row := range r.rows {
			if column < len(row) && row[column] != "" {
				s.Values[i] = row[column]
			}
		}
		if len(s.Values) > 0 {
			r.chart.Series = append(r.chart.Series, s)
		}
	}
}
