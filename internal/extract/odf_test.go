package extract

import (
	"slices"
	"strings"
	"testing"
)

// odf returns the parts of an OpenDocument file with this body.
func odf(mediaType, body string) map[string]string {
	return map[string]string{
		"mimetype": mediaType,
		"content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"` +
			` xmlns:presentation="p" xmlns:svg="s"><office:body>` + body + `</office:body></office:document-content>`,
	}
}

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
		{"comments", row + cell("a<office:annotation><text:p>no</text:p></office:annotation>", "") + end, "a"},
		{"a table in a cell", row + `<table:table-cell><table:table><table:table-row>` + cell("a", "") + cell("b", "") + end +
			`</table:table></table:table-cell>` + cell("c", "") + end, "a b\tc"},
		{"header rows", `<table:table-header-rows>` + row + cell("a", "") + end + `</table:table-header-rows>` +
			row + cell("b", "") + end, "a\nb"},
	}
	for _, tt := range tests {
		document, err := readEntries(t, odf(typeODS, `<table:table table:name="S">`+tt.rows+`</table:table>`))
		if err != nil || document.Text != tt.want || document.Anchors.At(0) != "sheet S" || document.Notes != nil {
			t.Errorf("%s: got %+v, %v, want %q", tt.name, document, err, tt.want)
		}
	}
}

func TestRepetitionsInODSAreBounded(t *testing.T) {
	rows := `<table:table-row table:number-rows-repeated="1048576">` + cell("a", "") + `</table:table-row>` +
		`<table:table-row>` + cell("b", `table:number-columns-repeated="16384"`) + `</table:table-row>`
	document, err := readEntries(t, odf(typeODS, `<table:table table:name="S">`+rows+`</table:table>`))
	want := []string{
		"sheet S has a row 1048576 times, of which 1000 were read",
		"sheet S has a cell 16384 times, of which 1000 were read",
	}
	if err != nil || strings.Count(document.Text, "a") != maxRepeats || strings.Count(document.Text, "b") != maxRepeats ||
		!slices.Equal(document.Notes, want) {
		t.Errorf("got %.80q, %q, %v", document.Text, document.Notes, err)
	}
	// A row of many repeated cells that is itself repeated is more than any sheet holds.
	bomb := `<table:table-row table:number-rows-repeated="1000">` +
		strings.Repeat(cell("bomb", `table:number-columns-repeated="1000"`), 20) + `</table:table-row>`
	_, err = readEntries(t, odf(typeODS, `<table:table table:name="S">`+bomb+`</table:table>`))
	if !isRefusal(err, errTooLong) {
		t.Errorf("a bomb: got %v", err)
	}
}

func TestODPIsWhatTheSlidesShow(t *testing.T) {
	frame := func(class, text string) string {
		return `<draw:frame presentation:class="` + class + `"><draw:text-box><text:p>` + text +
			`</text:p></draw:text-box></draw:frame>`
	}
	slides := `<draw:page>` + frame("title", "One") + frame("outline", "first") + frame("page-number", "7") +
		`<presentation:notes>` + frame("notes", "say it") + frame("header", "no") + `</presentation:notes></draw:page>` +
		`<draw:page>` + frame("title", "") + frame("", "second") +
		`<presentation:notes>` + frame("notes", "") + `</presentation:notes></draw:page>`
	document, err := readEntries(t, odf(typeODP+"-template", slides))
	if err != nil || document.Type != typeODP || document.Text != "# One\n\nfirst\n\nNotes:\nsay it\n\nsecond" ||
		document.Anchors.At(strings.Index(document.Text, "second")) != "slide 2" {
		t.Errorf("got %+v, %v", document, err)
	}
}

func TestEncryptedOpenDocumentsAreRefused(t *testing.T) {
	for _, mediaType := range []string{typeODT, typeODS, typeODP} {
		entries := odf(mediaType, "")
		entries["META-INF/manifest.xml"] = `<m:manifest xmlns:m="x"><m:encryption-data/></m:manifest>`
		if _, err := readEntries(t, entries); !isRefusal(err, errEncrypted) {
			t.Errorf("%s: got %v", mediaType, err)
		}
	}
}
