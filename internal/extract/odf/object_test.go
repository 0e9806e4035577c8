package odf

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// chartPart returns the chart of an OpenDocument file, as LibreOffice writes it, with these cells:
// rows are separated by bars, cells by spaces, and the first row is the header.
func chartPart(cells string) string {
	var rows strings.Builder
	for i, row := range strings.Split(cells, "|") {
		if i == 0 {
			rows.WriteString(`<table:table-header-rows>`)
		}
		rows.WriteString(`<table:table-row>`)
		for column, value := range strings.Split(row, " ") {
			if i > 0 && column > 0 {
				rows.WriteString(`<table:table-cell office:value-type="float" office:value="` + value + `">`)
			} else {
				rows.WriteString(`<table:table-cell office:value-type="string">`)
			}
			rows.WriteString(`<text:p>` + value + `</text:p><draw:g><svg:desc>no</svg:desc></draw:g></table:table-cell>`)
		}
		rows.WriteString(`</table:table-row>`)
		if i == 0 {
			rows.WriteString(`</table:table-header-rows>`)
		}
	}
	return extracttest.ODF("", `<office:chart xmlns:chart="h"><chart:chart>`+
		`<chart:title><text:p>Ferry<text:s/>traffic</text:p>`+
		`</chart:title><chart:subtitle><text:p>2026</text:p></chart:subtitle><chart:legend><text:p>no</text:p>`+
		`</chart:legend><chart:plot-area><chart:axis><chart:title><text:p>Month</text:p></chart:title></chart:axis>`+
		`<chart:series><chart:data-point><chart:data-label><text:p>no</text:p></chart:data-label></chart:data-point>`+
		`</chart:series></chart:plot-area><table:table>`+rows.String()+`</table:table></chart:chart></office:chart>`,
	)["content.xml"]
}

func TestAChartOfOpenDocumentIsRows(t *testing.T) {
	const head = "Chart: Ferry traffic 2026\nAxes: Month"
	for _, tt := range []struct{ name, cells, want string }{
		{"series", " Boats Guests|May 12 7.10000000000000003|June 7 NaN", head + "\n\tBoats\tGuests\nMay\t12\t7.1\nJune\t7"},
		{"a series without values", " Boats Guests|May 12 NaN", head + "\n\tBoats\nMay\t12"},
		{"no values", " Boats", head},
		{"no categories", " Boats| 12| 7", head + "\n\tBoats\n\t12\n\t7"},
	} {
		out := &prose.Output{Limit: 1000}
		if err := readObject(out, []byte(chartPart(tt.cells))); err != nil || out.String() != tt.want {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.name, out.String(), err, tt.want)
		}
	}
}

func TestAChartOfOpenDocumentHasABoundOfSeries(t *testing.T) {
	out := &prose.Output{Limit: 1 << 20}
	content := strings.ReplaceAll(chartPart(" Boats|May 12"), `office:value="12"`,
		`office:value="12" table:number-columns-repeated="1000000000"`)
	err := readObject(out, []byte(content))
	if got := strings.Count(out.String(), "12"); err != nil || got != prose.MaxSeries {
		t.Errorf("got %d series, %v", got, err)
	}
}

// withObjects returns documents of the three formats with a chart, twice, and an object of another kind.
func withObjects() map[string]map[string]string {
	const objects = `<draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame>` +
		`<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>` +
		`<draw:frame><draw:object xlink:href="./Object 2"/></draw:frame>` +
		`<draw:frame><draw:object xlink:href="../../missing"/><draw:object/></draw:frame>`
	const box = `<draw:frame><draw:text-box><text:p>after</text:p></draw:text-box></draw:frame>`
	odf := extracttest.ODF
	all := map[string]map[string]string{
		"ODT": odf(ODT, `<office:text><text:p>before`+objects+`</text:p><text:p>after</text:p></office:text>`),
		"ODP": odf(ODP, `<draw:page><draw:frame><draw:text-box><text:p>before</text:p></draw:text-box></draw:frame>`+
			objects+box+`</draw:page>`),
		"ODS": odf(ODS, `<table:table table:name="S"><table:shapes>`+objects+`</table:shapes><table:table-row>`+
			cell("before", "")+`</table:table-row></table:table><table:table table:name="T"><table:table-row>`+
			cell("after", "")+`</table:table-row></table:table>`),
		"ODS, in a cell": odf(ODS, `<table:table table:name="S"><table:table-row>`+cell("before"+objects, "")+
			`</table:table-row></table:table><table:table table:name="T"><table:table-row>`+
			cell("after", "")+`</table:table-row></table:table>`),
	}
	for _, entries := range all {
		entries["Object 1/content.xml"] = chartPart(" Boats|May 12")
		entries["Object 2/content.xml"] = extracttest.ODF("", `<office:text><text:p>no</text:p></office:text>`)["content.xml"]
	}
	return all
}

func TestChartsOfOpenDocumentsAreReadOnceWhereTheyAre(t *testing.T) {
	const want = "before\n\nChart: Ferry traffic 2026\nAxes: Month\n\tBoats\nMay\t12\n\nafter"
	for name, entries := range withObjects() {
		if document, err := readEntries(t, entries); err != nil || document.Text != want || document.Notes != nil {
			t.Errorf("%s: got %q, %q, %v", name, document.Text, document.Notes, err)
		}
	}
}

func TestABrokenChartOfAnOpenDocumentIsNoted(t *testing.T) {
	for name, entries := range withObjects() {
		entries["Object 1/content.xml"] = `<office:chart`
		document, err := readEntries(t, entries)
		if err != nil || document.Text != "before\n\nafter" ||
			!slices.Equal(document.Notes, []string{"a chart or formula could not be read"}) {
			t.Errorf("%s: got %q, %q, %v", name, document.Text, document.Notes, err)
		}
		entries["Object 1/content.xml"] = strings.Repeat(" ", 4<<20)
		if _, err := readEntries(t, entries); !extracttest.IsRefusal(err, prose.ErrBomb) {
			t.Errorf("%s with a bomb: got %v", name, err)
		}
	}
}

func TestFormulasOfOpenDocumentsAreInTheirText(t *testing.T) {
	const math = `<math:math xmlns:math="m"><math:semantics><math:mrow><math:mi>x</math:mi><math:mo>=</math:mo>` +
		`<math:mfrac><math:mi>a</math:mi><math:mn>2</math:mn></math:mfrac></math:mrow>` +
		`<math:annotation>x = a over 2</math:annotation></math:semantics></math:math>`
	entries := extracttest.ODF(ODT, `<office:text><text:p>So `+
		`<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>,`+
		` as is known.</text:p></office:text>`)
	entries["Object 1/content.xml"] = math
	if document, err := readEntries(t, entries); err != nil || document.Text != "So x = a/2, as is known." {
		t.Errorf("got %q, %v", document.Text, err)
	}
	deep := strings.Repeat("<math>", 50_000) + "x" + strings.Repeat("</math>", 50_000)
	entries["Object 1/content.xml"] = deep
	if document, err := readEntries(t, entries); err != nil || document.Text != "So , as is known." {
		t.Errorf("a deep one: got %q, %v", document.Text, err)
	}
}

func TestTextBoxesOfODSComeAfterTheirSheet(t *testing.T) {
	entries := extracttest.ODF(ODS, `<table:table table:name="S"><table:shapes>`+
		`<draw:custom-shape><text:p>Prices</text:p>`+
		`<text:p>rise.</text:p></draw:custom-shape></table:shapes><table:table-row>`+
		cell("a"+extracttest.Annotation("", "Ada", "Why?"), "")+`</table:table-row></table:table>`)
	document, err := readEntries(t, entries)
	if err != nil || document.Text != "a\n\nComment on A1 by Ada: Why?\n\nPrices\n\nrise." {
		t.Errorf("got %q, %v", document.Text, err)
	}
}
