package odf

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// cell returns a cell of a sheet with this text.
func cell(text, attrs string) string {
	return `<table:table-cell ` + attrs + `><text:p>` + text + `</text:p></table:table-cell>`
}

func TestODSIsWhatTheSheetShows(t *testing.T) {
	const row, end = `<table:table-row>`, `</table:table-row>`
	tests := []struct{ name, rows, want string }{
		{"rows", row + cell("a", "") + cell("b", "") + end + row + cell("c", "") + end, "a\tb\nc"},
		{"repeated cells", row + cell("a", `table:number-columns-repeated="3"`) + cell("b", "") + end, "a\ta\ta\tb"},
		{"repeated rows", `<table:table-row table:number-rows-repeated="2">` + cell("a", "") + end, "a\na"},
		{
			"empty rows and cells", `<table:table-row table:number-rows-repeated="1048576"><table:table-cell/>` + end +
				row + `<table:covered-table-cell/><table:table-cell table:number-columns-repeated="2"/>` + cell("a", "") +
				`<table:table-cell table:number-columns-repeated="16000"/>` + end, "\t\t\ta",
		},
		{
			"values", row + `<table:table-cell office:value="2"/><table:table-cell office:date-value="2026-05-01"/>` + end,
			"2\t2026-05-01",
		},
		{"formulas", row + `<table:table-cell table:formula="of:=SUM([.A1])"/>` +
			cell("3", `table:formula="of:=1+2" office:value="3"`) + end, "=SUM([.A1])\t3"},
		{"paragraphs of a cell", row + cell("a</text:p><text:p>b", "") + cell("c", "") + end, "a b\tc"},
		{
			"comments", row + cell("a", `table:number-columns-repeated="2"`) +
				cell("b"+extracttest.Annotation("", "Ada", "Too high.")+extracttest.Annotation("1", "Bob", "Why?"), "") + end,
			"a\ta\tb\n\nComment on C1 by Ada: Too high.\nReply on C1 by Bob: Why?",
		},
		{"a table in a cell", row + `<table:table-cell><table:table><table:table-row>` + cell("a", "") + cell("b", "") + end +
			`</table:table></table:table-cell>` + cell("c", "") + end, "a b\tc"},
		{"header rows", `<table:table-header-rows>` + row + cell("a", "") + end + `</table:table-header-rows>` +
			row + cell("b", "") + end, "a\nb"},
	}
	for _, tt := range tests {
		document, err := readEntries(t, extracttest.ODF(ODS, `<table:table table:name="S">`+tt.rows+`</table:table>`))
		if err != nil || document.Text != tt.want || document.Anchors.At(0) != "sheet S" || document.Notes != nil {
			t.Errorf("%s: got %+v, %v, want %q", tt.name, document, err, tt.want)
		}
	}
}

func TestODTHasItsNumbers(t *testing.T) {
	const (
		number = `<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>` +
			`<text:list-level-style-number text:level="2" style:num-format="a" text:display-levels="2" style:num-prefix="("` +
			` style:num-suffix=")"/>`
		styles = `<text:list-style style:name="N">` + number + `</text:list-style>` +
			`<text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style>` +
			`<text:list-style style:name="R"><text:list-level-style-number text:level="1" style:num-format="I"` +
			` text:start-value="4"/></text:list-style>` +
			`<text:list-style style:name="C"><text:list-level-style-number text:level="1" style:num-format="一, 二, 三, ..."` +
			` style:num-prefix="第" style:num-suffix="条"/></text:list-style>` +
			`<text:list-style style:name="E"><text:list-level-style-number text:level="1" style:num-format=""/>` +
			`</text:list-style>`
		outline = `<text:outline-style>` +
			`<text:outline-level-style text:level="1" style:num-format="1"/>` +
			`<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>`
	)
	item := func(text, more string) string {
		return `<text:list-item><text:p>` + text + `</text:p>` + more + `</text:list-item>`
	}
	list := func(attrs, items string) string { return `<text:list ` + attrs + `>` + items + `</text:list>` }
	heading := func(level, text, attrs string) string {
		return `<text:h text:outline-level="` + level + `" ` + attrs + `>` + text + `</text:h>`
	}
	for _, tt := range []struct{ name, body, want string }{
		{
			"levels", list(`text:style-name="N"`, item("a", list("", item("b", "")+item("c", "")))+
				item("d", list(`text:style-name="N"`, item("e", "")))), "1. a\n  (1.a) b\n  (1.b) c\n2. d\n  (2.a) e",
		},
		{"bullets", list(`text:style-name="B"`, item("a", "")+item("b", "")), "- a\n- b"},
		{"an unknown style", list(`text:style-name="X"`, item("a", "")), "- a"},
		{"a start", list(`text:style-name="R"`, item("a", "")+item("b", "")), "IV a\nV b"},
		{"Chinese", list(`text:style-name="C"`, item("甲方", "")+item("乙方", "")), "第一条 甲方\n第二条 乙方"},
		{"no numbers", list(`text:style-name="E"`, item("a", "")), "a"},
		{
			"an item with another number", list(`text:style-name="N"`,
				`<text:list-item text:start-value="7"><text:p>a</text:p><text:p>more</text:p></text:list-item>`+item("b", "")),
			"7. a\n\nmore\n\n8. b",
		},
		{
			"continued lists", list(`text:style-name="N" xml:id="l1"`, item("a", "")) + `<text:p>between</text:p>` +
				list(`text:style-name="N" text:continue-numbering="true"`, item("b", "")) + `<text:p>and</text:p>` +
				list(`text:style-name="N"`, item("new", "")) + `<text:p>then</text:p>` +
				list(`text:style-name="N" text:continue-list="l1"`, item("c", "")),
			"1. a\n\nbetween\n\n2. b\n\nand\n\n1. new\n\nthen\n\n3. c",
		},
		{
			"headings", heading("1", "One", "") + heading("2", "Two", "") + heading("2", "Three", "") +
				heading("1", "Four", `text:is-list-header="true"`) + heading("1", "Five", "") +
				heading("1", "Six", `text:restart-numbering="true" text:start-value="9"`),
			"# 1 One\n\n## 1.1 Two\n\n## 1.2 Three\n\n# Four\n\n# 2 Five\n\n# 9 Six",
		},
		{
			"a heading in a list",
			list(`text:style-name="N"`, `<text:list-item>`+heading("1", "One", "")+`</text:list-item>`), "# 1. One",
		},
		{
			"a list header",
			list(`text:style-name="N"`, `<text:list-header><text:p>a</text:p></text:list-header>`+item("b", "")),
			"a\n\n1. b",
		},
	} {
		entries := extracttest.ODF(ODT, `<office:text>`+tt.body+`</office:text>`)
		entries["content.xml"] = strings.Replace(entries["content.xml"], "<office:body>",
			"<office:automatic-styles>"+styles+"</office:automatic-styles><office:body>", 1)
		entries["styles.xml"] = `<office:document-styles>` + outline + `</office:document-styles>`
		document, err := readEntries(t, entries)
		if err != nil || document.Text != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, document.Text, err, tt.want)
		}
	}
}

func TestRaisedNumbersOfODTStayApart(t *testing.T) {
	content := `<text:p>10<text:span text:style-name="T1">6</text:span> m` +
		`<text:span text:style-name="T2">2</text:span></text:p>`
	entries := extracttest.ODF(ODT, content)
	entries["content.xml"] = strings.Replace(entries["content.xml"], "<office:body>", `<office:automatic-styles>`+
		`<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style>`+
		`<style:style style:name="T2"><style:text-properties style:text-position="sub 58%"/></style:style>`+
		`</office:automatic-styles><office:body>`, 1)
	document, err := readEntries(t, entries)
	if err != nil || document.Text != "10⁶ m2" {
		t.Errorf("got %q, %v", document.Text, err)
	}
}

func TestODTHasItsComments(t *testing.T) {
	const row, end = `<table:table-row>`, `</table:table-row>`
	for _, tt := range []struct{ name, body, want string }{
		{
			"in a paragraph", `<text:p>The fee` +
				extracttest.Annotation("", "Ada", "Too high.") + extracttest.Annotation("1", "Bob", "Why?") +
				` is 3.</text:p><text:p>Next.</text:p>`,
			"The fee is 3.\n\nComment by Ada: Too high.\nReply by Bob: Why?\n\nNext.",
		},
		{
			"in a table", `<table:table>` + row + cell("a"+extracttest.Annotation("", "", "Which?"), "") + cell("b", "") + end +
				`</table:table><text:p>Next.</text:p>`, "a\tb\n\nComment: Which?\n\nNext.",
		},
		{"an empty one", `<text:p>a` + extracttest.Annotation("", "Ada", " ") + `</text:p>`, "a"},
	} {
		document, err := readEntries(t, extracttest.ODF(ODT, `<office:text>`+tt.body+`</office:text>`))
		if err != nil || document.Text != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, document.Text, err, tt.want)
		}
	}
}

func TestRepetitionsInODSAreBounded(t *testing.T) {
	rows := `<table:table-row table:number-rows-repeated="1048576">` + cell("a", "") + `</table:table-row>` +
		`<table:table-row>` + cell("b", `table:number-columns-repeated="16384"`) + `</table:table-row>`
	document, err := readEntries(t, extracttest.ODF(ODS, `<table:table table:name="S">`+rows+`</table:table>`))
	want := []string{
		"sheet S has a row 1048576 times, of which 1000 were read",
		"sheet S has a cell 16384 times, of which 1000 were read",
	}
	if err != nil || strings.Count(document.Text, "a") != maxRepeats || strings.Count(document.Text, "b") != maxRepeats ||
		!slices.Equal(document.Notes, want) {
		t.Errorf("got %.80q, %q, %v", document.Text, document.Notes, err)
	}
	// A repeated row of many repeated cells has more cells than any sheet holds.
	bomb := `<table:table-row table:number-rows-repeated="1000">` +
		strings.Repeat(cell("bomb", `table:number-columns-repeated="1000"`), 20) + `</table:table-row>`
	_, err = readEntries(t, extracttest.ODF(ODS, `<table:table table:name="S">`+bomb+`</table:table>`))
	if !extracttest.IsRefusal(err, prose.ErrTooLong) {
		t.Errorf("a bomb: got %v", err)
	}
}

func TestEncryptedOpenDocumentsAreRefused(t *testing.T) {
	for _, mediaType := range []string{ODT, ODS, ODP} {
		entries := extracttest.ODF(mediaType, "")
		entries["META-INF/manifest.xml"] = `<m:manifest xmlns:m="x"><m:encryption-data/></m:manifest>`
		if _, err := readEntries(t, entries); !extracttest.IsRefusal(err, prose.ErrEncrypted) {
			t.Errorf("%s: got %v", mediaType, err)
		}
	}
}
