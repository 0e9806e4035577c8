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

func TestCellsSayTheirWholeValue(t *testing.T) {
	entries := extracttest.XLSX(`<row r="1"><c t="s"><v>1</v></c>` +
		`<c t="inlineStr"><is><t>in</t><rPh><t>no</t></rPh></is></c>` +
		`<c r="D1" s="1"><v>40089</v></c><c s="2"><v>0.025</v></c><c s="3"><v>198356388</v></c></row>` +
		`<row r="4"><c r="B4" t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>` +
		`<c t="str"><f>A1</f><v>text</v></c><c><f>SUM(A1:A2)</f></c>` +
		`<c t="d"><v>2026-05-01</v></c><c t="s"><v>9</v></c><c><v>x</v></c></row>`)
	rels := "xl/_rels/workbook.xml.rels"
	kinds := `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	entries[rels] = strings.TrimSuffix(entries[rels], "</Relationships>") +
		`<Relationship Id="r2" Type="` + kinds + `styles" Target="styles.xml"/>` +
		`<Relationship Id="r3" Type="` + kinds + `sharedStrings" Target="texts.xml"/></Relationships>`
	entries["xl/styles.xml"] = `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd\-mm\-yy"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/>` +
		`<xf numFmtId="11"/></cellXfs><cellStyles/></styleSheet>`
	entries["xl/texts.xml"] = `<sst><si><t>zero</t></si>` +
		`<si><r><t>har</t></r><r><t>bor</t></r><rPh><t>no</t></rPh></si></sst>`
	document, err := readEntries(t, entries)
	want := "harbor\tin\t\t2009-10-03\t2.5%\t198356388\n\tTRUE\t#N/A\ttext\t=SUM(A1:A2)\t2026-05-01\t\tx"
	if err != nil || document.Text != want {
		t.Errorf("got  %q, %v\nwant %q", document.Text, err, want)
	}
}
