package ooxml

import (
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
)

func TestACellInTheLastRowIsJustACell(t *testing.T) {
	rows := `<row r="1"><c r="A1"><v>1</v></c></row>` +
		`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>last</t></is></c></row>`
	document, err := readEntries(t, extracttest.XLSX(rows))
	text := document.Text
	if err != nil || !strings.HasPrefix(text, "1\n") || !strings.HasSuffix(text, "last") || len(text) > 200 {
		t.Errorf("got %.200q, %v", text, err)
	}
}

func TestTheNameOfASheetIsTamed(t *testing.T) {
	entries := extracttest.XLSX(`<row r="1"><c r="A1"><v>1</v></c></row>`)
	entries["xl/workbook.xml"] = strings.Replace(entries["xl/workbook.xml"], "Far", "a&#10;b", 1)
	document, err := readEntries(t, entries)
	if err != nil || len(document.Anchors) != 1 || document.Anchors[0].Name != "sheet ab" {
		t.Errorf("got %v, %v", document.Anchors, err)
	}
}
