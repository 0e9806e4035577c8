package prose

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/extract/cells"
)

// MaxSeries limits the series of a chart. Excel has the same limit.
const MaxSeries = 255

// Chart is a chart of a document.
type Chart struct {
	Series []*Series

	title string
	axes  []string // titles
}

// Series is a series of values, by the index of the point.
type Series struct {
	Name       string
	Categories map[int]string
	Values     map[int]string
}

// Write writes a chart as its title and rows: the categories, and a column for the values of each series.
func (c *Chart) Write(out *Output) {
	if c.title == "" && len(c.Series) == 0 {
		return
	}
	out.Paragraph()
	out.Write(strings.TrimSuffix("Chart: "+c.title, ": "))
	if len(c.axes) > 0 {
		out.Line()
		out.Write("Axes: " + strings.Join(c.axes, ", "))
	}
	for _, table := range c.tables() {
		writeSeries(out, table)
	}
	out.Paragraph()
}

// Entitle sets the title of the chart or of an axis. A subtitle comes after the title.
func (c *Chart) Entitle(title string, ofAxis bool) {
	title = strings.Join(strings.Fields(title), " ")
	switch {
	case title == "":
	case ofAxis:
		c.axes = append(c.axes, title)
	default:
		c.title = JoinedLabel(c.title, title)
	}
}

// tables groups the series by their categories: all together, or each on its own.
func (c *Chart) tables() [][]*Series {
	var tables [][]*Series
	for i, s := range c.Series {
		if i > 0 && !maps.Equal(s.Categories, c.Series[0].Categories) {
			tables = nil
			for _, one := range c.Series {
				tables = append(tables, []*Series{one})
			}
			return tables
		}
	}
	if len(c.Series) > 0 {
		tables = append(tables, c.Series)
	}
	return tables
}

func writeSeries(out *Output, series []*Series) {
	header := []string{""}
	points := maps.Clone(series[0].Categories)
	for _, s := range series {
		header = append(header, s.Name)
		for i := range s.Values {
			points[i] = series[0].Categories[i]
		}
	}
	writeCells(out, header)
	for _, i := range slices.Sorted(maps.Keys(points)) {
		row := []string{points[i]}
		for _, s := range series {
			row = append(row, s.Values[i])
		}
		writeCells(out, row)
	}
}

func writeCells(out *Output, row []string) {
	for i, text := range row {
		out.EnterCell(i == 0)
		out.Write(text)
		out.LeaveCell()
	}
	out.Line()
}

// NewSeries returns a series without values.
func NewSeries() *Series {
	return &Series{Categories: make(map[int]string), Values: make(map[int]string)}
}

// MaxChartLabel limits a label of several parts, in bytes.
const MaxChartLabel = 1000

// JoinedLabel returns two parts of a label, or only the first if both would be too long.
func JoinedLabel(a, b string) string {
	if len(a)+len(b) > MaxChartLabel {
		return a
	}
	return strings.TrimSpace(a + " " + b)
}

// Displayed returns a number roughly as its format shows it: rounded, as a date or a
// percentage.
func Displayed(value, format string) string {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	format = strings.ToLower(format)
	switch {
	case strings.Contains(format, "yy"), strings.Contains(format, "d/m"), strings.Contains(format, "m/d"):
		if day, ok := cells.Time(number, false); ok {
			return day.Format(time.DateOnly)
		}
	case strings.HasSuffix(format, "%"):
		return strconv.FormatFloat(number*100, 'g', 12, 64) + "%"
	}
	return strconv.FormatFloat(number, 'g', 12, 64)
}
