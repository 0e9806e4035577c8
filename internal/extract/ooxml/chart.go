package ooxml

import (
	"slices"
	"strconv"
	"strings"

	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readChart writes a chart as its title and rows: the categories, and a column for the
// values of each series.
func readChart(out *prose.Output, content []byte) error {
	r := &chartReader{}
	err := zipxml.Visit(content, zipxml.Visitor{Start: r.start, End: r.end, Text: r.text})
	// A series may only refer to cells, without a copy of their values.
	r.chart.Series = slices.DeleteFunc(r.chart.Series, func(s *prose.Series) bool { return len(s.Values) == 0 })
	r.chart.Write(out)
	return err
}

type chartReader struct {
	chart   prose.Chart
	series  *prose.Series // nil outside a series
	field   string        // the part of a series: its name, categories or values
	point   int
	format  string // of numbers
	isTitle bool
	isAxis  bool
	within  string // the element that holds the text
	value   strings.Builder
}

// start handles the start of an element. It skips labels, which repeat the values.
func (r *chartReader) start(e zipxml.Element) bool {
	r.within = e.Name
	switch e.Name {
	case "dLbls", "trendline", "errBars", "txPr", "spPr", "extLst", "Fallback", "legend", "dTable":
		return false
	case "ser":
		if len(r.chart.Series) == prose.MaxSeries {
			return false
		}
		r.series = prose.NewSeries()
		r.chart.Series = append(r.chart.Series, r.series)
	case "tx", "cat", "val", "xVal", "yVal", "bubbleSize":
		r.field, r.format, r.point = e.Name, "", 0
	case "formatCode":
		r.format = ""
	case "pt":
		r.point, _ = strconv.Atoi(e.Attr("idx"))
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
			setPoint(r.series, r.field, r.point, r.value.String(), r.format)
		}
	case "title":
		r.isTitle = false
		r.chart.Entitle(r.value.String(), r.isAxis)
	case "catAx", "valAx", "dateAx", "serAx":
		r.isAxis = false
	}
}

// setPoint keeps a value of a part of the series.
func setPoint(s *prose.Series, field string, point int, value, format string) {
	switch field {
	case "tx":
		s.Name = prose.JoinedLabel(s.Name, value)
	case "cat", "xVal":
		// The outer levels of categories come after the inner ones.
		s.Categories[point] = prose.JoinedLabel(prose.Displayed(value, format), s.Categories[point])
	case "val", "yVal":
		s.Values[point] = prose.Displayed(value, format)
	case "bubbleSize":
		s.Values[point] = prose.JoinedLabel(s.Values[point], "("+prose.Displayed(value, format)+")")
	}
}
