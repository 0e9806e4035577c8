package extract

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// maxSeries limits the series of a chart. Excel has the same limit.
const maxSeries = 255

// chart is a chart of an Office document.
type chart struct {
	title  string
	axes   []string // titles
	series []*chartSeries
}

// chartSeries is a series of values, by the index of the point.
type chartSeries struct {
	name       string
	categories map[int]string
	values     map[int]string
}

// readChart writes a chart as its title and rows: the categories, and a column for the
// values of each series.
func readChart(out *output, content []byte) error {
	r := &chartReader{}
	err := visit(content, visitor{start: r.start, end: r.end, text: r.text})
	// A series may only refer to cells, without a copy of their values.
	r.chart.series = slices.DeleteFunc(r.chart.series, func(s *chartSeries) bool { return len(s.values) == 0 })
	r.chart.write(out)
	return err
}

func (c *chart) write(out *output) {
	if c.title == "" && len(c.series) == 0 {
		return
	}
	out.paragraph()
	out.write(strings.TrimSuffix("Chart: "+c.title, ": "))
	if len(c.axes) > 0 {
		out.line()
		out.write("Axes: " + strings.Join(c.axes, ", "))
	}
	for _, table := range c.tables() {
		writeSeries(out, table)
	}
	out.paragraph()
}

// entitle sets the title of the chart or of an axis. A subtitle comes after the title.
func (c *chart) entitle(title string, ofAxis bool) {
	title = strings.Join(strings.Fields(title), " ")
	switch {
	case title == "":
	case ofAxis:
		c.axes = append(c.axes, title)
	default:
		c.title = joinedLabel(c.title, title)
	}
}

// tables groups the series by their categories: all together, or each on its own.
func (c *chart) tables() [][]*chartSeries {
	var tables [][]*chartSeries
	for i, s := range c.series {
		if i > 0 && !maps.Equal(s.categories, c.series[0].categories) {
			tables = nil
			for _, one := range c.series {
				tables = append(tables, []*chartSeries{one})
			}
			return tables
		}
	}
	if len(c.series) > 0 {
		tables = append(tables, c.series)
	}
	return tables
}

func writeSeries(out *output, series []*chartSeries) {
	header := []string{""}
	points := maps.Clone(series[0].categories)
	for _, s := range series {
		header = append(header, s.name)
		for i := range s.values {
			points[i] = series[0].categories[i]
		}
	}
	writeCells(out, header)
	for _, i := range slices.Sorted(maps.Keys(points)) {
		row := []string{points[i]}
		for _, s := range series {
			row = append(row, s.values[i])
		}
		writeCells(out, row)
	}
}

func writeCells(out *output, row []string) {
	for i, text := range row {
		out.enterCell(i == 0)
		out.write(text)
		out.leaveCell()
	}
	out.line()
}

type chartReader struct {
	chart   chart
	series  *chartSeries // nil outside a series
	field   string       // the part of a series: its name, categories or values
	point   int
	format  string // of numbers
	isTitle bool
	isAxis  bool
	within  string // the element that holds the text
	value   strings.Builder
}

// start handles the start of an element. It skips labels, which repeat the values.
func (r *chartReader) start(e element) bool {
	r.within = e.name
	switch e.name {
	case "dLbls", "trendline", "errBars", "txPr", "spPr", "extLst", "Fallback", "legend", "dTable":
		return false
	case "ser":
		if len(r.chart.series) == maxSeries {
			return false
		}
		r.series = newChartSeries()
		r.chart.series = append(r.chart.series, r.series)
	case "tx", "cat", "val", "xVal", "yVal", "bubbleSize":
		r.field, r.format, r.point = e.name, "", 0
	case "formatCode":
		r.format = ""
	case "pt":
		r.point, _ = strconv.Atoi(e.attr("idx"))
	case "title":
		r.isTitle = true
		r.value.Reset()
	case "catAx", "valAx", "dateAx", "serAx":
		r.isAxis = true
	case "v":
		if !r.isTitle {
			r.value.Reset()
		}
	case "p", "br":
		r.value.WriteByte(' ')
	}
	return true
}

func (r *chartReader) text(s string) {
	switch r.within {
	case "v", "t":
		r.value.WriteString(s)
	case "formatCode":
		r.format += s
	}
}

func (r *chartReader) end(name string) {
	r.within = ""
	switch name {
	case "ser":
		r.series = nil
	case "v":
		if r.series != nil {
			r.series.set(r.field, r.point, r.value.String(), r.format)
		}
	case "title":
		r.isTitle = false
		r.chart.entitle(r.value.String(), r.isAxis)
	case "catAx", "valAx", "dateAx", "serAx":
		r.isAxis = false
	}
}

func newChartSeries() *chartSeries {
	return &chartSeries{categories: make(map[int]string), values: make(map[int]string)}
}

// set keeps a value of a part of the series.
func (s *chartSeries) set(field string, point int, value, format string) {
	switch field {
	case "tx":
		s.name = joinedLabel(s.name, value)
	case "cat", "xVal":
		// The outer levels of categories come after the inner ones.
		s.categories[point] = joinedLabel(displayed(value, format), s.categories[point])
	case "val", "yVal":
		s.values[point] = displayed(value, format)
	case "bubbleSize":
		s.values[point] = joinedLabel(s.values[point], "("+displayed(value, format)+")")
	}
}

// maxChartLabel limits a label of several parts, in bytes.
const maxChartLabel = 1000

// joinedLabel returns two parts of a label, or only the first if both would be too long.
func joinedLabel(a, b string) string {
	if len(a)+len(b) > maxChartLabel {
		return a
	}
	return strings.TrimSpace(a + " " + b)
}

// displayed returns a number roughly as its format shows it: rounded, as a date or a
// percentage.
func displayed(value, format string) string {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	format = strings.ToLower(format)
	switch {
	case strings.Contains(format, "yy"), strings.Contains(format, "d/m"), strings.Contains(format, "m/d"):
		if day, err := excelize.ExcelDateToTime(number, false); err == nil {
			return day.Format("2006-01-02")
		}
	case strings.HasSuffix(format, "%"):
		return strconv.FormatFloat(number*100, 'g', 12, 64) + "%"
	}
	return strconv.FormatFloat(number, 'g', 12, 64)
}
