package extract

import (
	"strconv"
	"strings"
)

// readChartEx writes a chart of one of the kinds that came with Office 2016, such as a
// waterfall. Its values are apart from its series.
func readChartEx(out *output, content []byte) error {
	r := &chartExReader{data: make(map[string]*chartSeries)}
	err := visit(content, visitor{start: r.start, end: r.end, text: r.text})
	r.chart.write(out)
	return err
}

type chartExReader struct {
	chart   chart
	data    map[string]*chartSeries // by id
	values  *chartSeries            // the data that are being read; nil outside of data
	series  *chartSeries            // nil outside of a series
	field   string                  // the dimension of the data: its categories or values
	format  string                  // of numbers
	point   int
	isTitle bool
	isAxis  bool
	shown   strings.Builder
	within  string // the element that holds the text
}

// start handles the start of an element. It skips what repeats the values, and their formats.
func (r *chartExReader) start(e element) bool {
	r.within = e.name
	switch e.name {
	case "dataLabels", "legend", "txPr", "spPr", "extLst":
		return false
	case "data":
		r.values = newChartSeries()
		r.data[e.attr("id")] = r.values
	case "strDim", "numDim":
		r.field = "val"
		if e.attr("type") == "cat" {
			r.field = "cat"
		}
	case "lvl":
		r.format = e.attr("formatCode")
	case "pt":
		r.point, _ = strconv.Atoi(e.attr("idx"))
		r.shown.Reset()
	case "series":
		if len(r.chart.series) == maxSeries {
			return false
		}
		r.series = newChartSeries()
	case "dataId":
		if data := r.data[e.attr("val")]; r.series != nil && data != nil {
			r.series.categories, r.series.values = data.categories, data.values
		}
	case "axis":
		r.isAxis = true
	case "title":
		r.isTitle = true
		r.shown.Reset()
	case "tx":
		if !r.isTitle {
			r.shown.Reset()
		}
	case "p", "br":
		r.shown.WriteByte(' ')
	}
	return true
}

func (r *chartExReader) text(s string) {
	switch r.within {
	case "pt", "v", "t":
		if r.shown.Len() < maxChartLabel {
			r.shown.WriteString(s)
		}
	}
}

func (r *chartExReader) end(name string) {
	r.within = ""
	shown := strings.Join(strings.Fields(r.shown.String()), " ")
	switch name {
	case "data":
		r.values = nil
	case "pt":
		if r.values != nil && shown != "" {
			r.values.set(r.field, r.point, shown, r.format)
		}
	case "tx":
		if r.series != nil && !r.isTitle {
			r.series.name = shown
		}
	case "series":
		if r.series != nil && len(r.series.values) > 0 {
			r.chart.series = append(r.chart.series, r.series)
		}
		r.series = nil
	case "axis":
		r.isAxis = false
	case "title":
		r.isTitle = false
		r.chart.entitle(shown, r.isAxis)
	}
}
