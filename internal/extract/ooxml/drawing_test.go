package ooxml

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// chartPart returns a chart with these series.
func chartPart(series string) string {
	return `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Ferry </a:t></a:r>` +
		`<a:r><a:t>traffic</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>` + series +
		`</c:barChart><c:catAx><c:title><c:tx><c:rich><a:p><a:r><a:t>Month</a:t></a:r></a:p></c:rich></c:tx></c:title>` +
		`</c:catAx></c:plotArea></c:chart></c:chartSpace>`
}

// series returns a series of a chart. Fields are pairs of an element and its points, which
// are separated by spaces.
func series(name, format string, fields ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<c:ser><c:tx><c:strRef><c:f>no</c:f><c:strCache><c:pt idx="0"><c:v>%s</c:v></c:pt></c:strCache>`+
		`</c:strRef></c:tx><c:dLbls><c:tx><c:v>no</c:v></c:tx></c:dLbls>`, name)
	for i := 0; i+1 < len(fields); i += 2 {
		fmt.Fprintf(&b, `<c:%s><c:numRef><c:numCache><c:formatCode>%s</c:formatCode>`, fields[i], format)
		for n, value := range strings.Fields(fields[i+1]) {
			fmt.Fprintf(&b, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, n, value)
		}
		fmt.Fprintf(&b, `</c:numCache></c:numRef></c:%s>`, fields[i])
	}
	b.WriteString(`</c:ser>`)
	return b.String()
}

func TestAChartIsRows(t *testing.T) {
	const head = "Chart: Ferry traffic\nAxes: Month\n"
	tests := []struct{ name, series, want string }{
		{
			"common categories", series("Boats", "General", "cat", "May June", "val", "12 7.10000000000000003") +
				series("Guests", "General", "cat", "May June", "val", "230"),
			head + "\tBoats\tGuests\nMay\t12\t230\nJune\t7.1",
		},
		{
			"scattered", series("A", "", "xVal", "1 2", "yVal", "3 4") +
				series("B", "", "xVal", "5", "yVal", "6", "bubbleSize", "9"),
			head + "\tA\n1\t3\n2\t4\n\tB\n5\t6 (9)",
		},
		{"percentages", series("A", "0.0%", "val", "0.25"), head + "\tA\n\t25%"},
		{"dates", series("A", "yyyy\\-mm", "cat", "46143", "val", "46143"), head + "\tA\n2026-05-01\t2026-05-01"},
		{"references only", series("A", "", "cat", "May"), strings.TrimSpace(head)},
	}
	for _, tt := range tests {
		out := &prose.Output{Limit: 1000}
		if err := readChart(out, []byte(chartPart(tt.series))); err != nil || out.String() != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.name, out.String(), err, tt.want)
		}
	}
}

func TestAChartHasABoundOfSeries(t *testing.T) {
	out := &prose.Output{Limit: 1 << 20}
	err := readChart(out, []byte(chartPart(strings.Repeat(series("Boat", "", "val", "7"), prose.MaxSeries+50))))
	if got := strings.Count(out.String(), "Boat"); err != nil || got != prose.MaxSeries {
		t.Errorf("got %d series, %v", got, err)
	}
}

// diagramPart is a SmartArt graphic. Its texts are not stored in order.
const diagramPart = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>` +
	`<dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Skipper</a:t></a:r></a:p></dgm:t></dgm:pt>` +
	`<dgm:pt modelId="3"><dgm:t><a:p><a:r><a:t>Cook</a:t></a:r></a:p></dgm:t></dgm:pt>` +
	`<dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Harbor </a:t></a:r><a:r><a:t>office</a:t></a:r></a:p></dgm:t></dgm:pt>` +
	`<dgm:pt modelId="9" type="pres"><dgm:t><a:p><a:r><a:t>no</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>` +
	`<dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="3" srcOrd="1"/>` +
	`<dgm:cxn srcId="1" destId="2" srcOrd="0"/><dgm:cxn type="presOf" srcId="3" destId="9" srcOrd="0"/>` +
	`<dgm:cxn srcId="2" destId="1" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>`

func TestADiagramIsAList(t *testing.T) {
	out := &prose.Output{Limit: 1000}
	err := readDiagram(out, []byte(diagramPart))
	if got := out.String(); err != nil || got != "- Harbor office\n  - Skipper\n  - Cook" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestADeepDiagramIsRead(t *testing.T) {
	var points, connections strings.Builder
	const depth = 100_000
	for i := range depth {
		fmt.Fprintf(&points, `<pt modelId="%d"/>`, i)
		fmt.Fprintf(&connections, `<cxn srcId="%d" destId="%d"/>`, i, i+1)
	}
	fmt.Fprintf(&points, `<pt modelId="%d"><t>end</t></pt>`, depth)
	out := &prose.Output{Limit: 1000}
	err := readDiagram(out, []byte(`<m>`+points.String()+connections.String()+`</m>`))
	if got := out.String(); err != nil || got != "- end" {
		t.Errorf("got %q, %v", got, err)
	}
}

// withDrawings returns documents of the three formats that have a chart and a diagram.
func withDrawings() map[string]map[string]string {
	const graphics = `<c:chart xmlns:c="c" xmlns:r="r" r:id="r1"/><dgm:relIds xmlns:dgm="d" xmlns:r="r" r:dm="r2"/>` +
		`<c:chart xmlns:c="c" xmlns:r="r" r:id="r1"/>`
	parts := relationships("chart", "/chart.xml", "diagramData", "/data.xml")
	word := extracttest.DOCX(`<w:p><w:r><w:t>before</w:t><w:drawing>` + graphics + `</w:drawing></w:r></w:p>` +
		`<w:p><w:r><w:t>after</w:t></w:r></w:p>`)
	word["word/_rels/document.xml.rels"] = parts
	slide := pptx(shape("before")+`<p:graphicFrame>`+graphics+`</p:graphicFrame>`, shape("after"))
	slide["ppt/slides/_rels/s1.xml.rels"] = parts
	sheet := extracttest.XLSX(`<row r="1"><c r="A1" t="inlineStr"><is><t>before</t></is></c></row>`)
	sheet["xl/worksheets/_rels/sheet1.xml.rels"] = relationships("drawing", "/xl/drawing.xml")
	sheet["xl/drawing.xml"] = `<xdr:wsDr xmlns:xdr="x" xmlns:a="a">` + graphics +
		`<xdr:sp><a:p><a:r><a:t>after</a:t></a:r></a:p></xdr:sp></xdr:wsDr>`
	sheet["xl/_rels/drawing.xml.rels"] = parts
	all := map[string]map[string]string{"DOCX": word, "PPTX": slide, "XLSX": sheet}
	for _, entries := range all {
		entries["chart.xml"] = chartPart(series("Boats", "", "cat", "May", "val", "12"))
		entries["data.xml"] = diagramPart
	}
	return all
}

func TestChartsAndDiagramsAreReadOnceWhereTheyAre(t *testing.T) {
	const want = "before\n\nChart: Ferry traffic\nAxes: Month\n\tBoats\nMay\t12\n\n" +
		"- Harbor office\n  - Skipper\n  - Cook\n\nafter"
	for name, entries := range withDrawings() {
		if document, err := readEntries(t, entries); err != nil || document.Text != want || document.Notes != nil {
			t.Errorf("%s: got %q, %q, %v", name, document.Text, document.Notes, err)
		}
	}
}

func TestABrokenChartIsNoted(t *testing.T) {
	for name, entries := range withDrawings() {
		broken := maps.Clone(entries)
		broken["chart.xml"] = `<c:chartSpace`
		delete(broken, "data.xml")
		document, err := readEntries(t, broken)
		want := []string{"a chart could not be read", "a diagram could not be read"}
		if err != nil || document.Text != "before\n\nafter" || !slices.Equal(document.Notes, want) {
			t.Errorf("%s: got %q, %q, %v", name, document.Text, document.Notes, err)
		}
		entries["chart.xml"] = strings.Repeat(" ", 4<<20)
		if _, err := readEntries(t, entries); !extracttest.IsRefusal(err, prose.ErrBomb) {
			t.Errorf("%s with a bomb: got %v", name, err)
		}
	}
}
