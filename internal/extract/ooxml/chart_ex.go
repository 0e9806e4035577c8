package ooxml

import (
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readChartEx writes a chart of one of the kinds that came with Office 2016, such as a
// waterfall. Its values are apart from its series.
func readChartEx(out *prose.Output, content []byte) error {
	r := &chartExReader{data: make(map[string]*prose.Series)}
	err := zipxml.Visit(content, zipxml.Visitor{Start: r.start, End: r.end, Text: r.text})
	r.chart.Write(out)
	return err
}

type chartExReader struct {
	chart   prose.Chart
	data    map[string]*prose.Series // by id
	values  *prose.Series            // the data that are being read; nil outside of data
	series  *prose.Series            // nil outside of a series
	field   string                   // the dimension of the data: its categories or values
	format  string                   // of numbers
	point   int
	isTitle bool
	isAxis  bool
	shown   strings.Builder
	within  string // the element that holds the text
}

// start handles the start of an element. It skips what repeats the values, and their formats.
func (r *chartExReader) start(e zipxml.Element) bool {
	r.within = e.Name
	switch e.Name {
	case "dataLabels", "legend", "txPr", "spPr", "extLst":
		return false
	case "data":
		r.values = prose.NewSeries()
		r.data[e.Attr("id")] = r.values
	case "strDim", "numDim":
		r.field = "val"
		if e.Attr("type") == "cat" {
			r.field = "cat"
		}
	case "lvl":
		r.format = e.Attr("formatCode")
	case "pt":
		r.point, _ = strconv.Atoi(e.Attr("idx"))
		r.shown.Reset()
	case "series":
		if len(r.chart.Series) == prose.MaxSeries {
			return false
		}
		r.series = prose.NewSeries()
	case "dataId":
		if data := r.data[e.Attr("val")]; r.series != nil && data != nil {
			r.series.Categories, r.series.Values = data.Categories, data.Values
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
		if r.shown.Len() < prose.MaxChartLabel {
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
			setPoint(r.values, r.field, r.point, shown, r.format)
		}
	case "tx":
		if r.series != nil && !r.isTitle {
			r.series.Name = shown
		}
	case "series":
		if r.series != nil && len(r.series.Values) > 0 {
			r.chart.Series = append(r.chart.Series, r.series)
		}
		r.series = nil
	case "axis":
		r.isAxis = false
	case "title":
		r.isTitle = false
		r.chart.Entitle(shown, r.isAxis)
	}
}
