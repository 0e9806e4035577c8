package ooxml

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
)

// numberedDOCX returns a Word document with numbered paragraphs, given as "numId.ilvl".
func numberedDOCX(numbering string, paragraphs ...string) map[string]string {
	var body strings.Builder
	for _, p := range paragraphs {
		list, level, _ := strings.Cut(p, ".")
		fmt.Fprintf(&body, `<w:p><w:pPr><w:numPr><w:ilvl w:val="%s"/><w:numId w:val="%s"/></w:numPr></w:pPr>`+
			`<w:r><w:t>x</w:t></w:r></w:p>`, level, list)
	}
	entries := extracttest.DOCX(body.String())
	entries["word/_rels/document.xml.rels"] = relationships("numbering", "numbering.xml", "styles", "styles.xml")
	entries["word/numbering.xml"] = `<w:numbering xmlns:w="w">` + numbering + `</w:numbering>`
	entries["word/styles.xml"] = `<w:styles xmlns:w="w">` +
		`<w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr>` +
		`<w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr>` +
		`<w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:styleId="Linked"><w:name w:val="Linked"/><w:pPr><w:numPr>` +
		`<w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:styleId="Plain"><w:name w:val="Plain"/><w:basedOn w:val="H1"/><w:pPr><w:numPr>` +
		`<w:numId w:val="0"/></w:numPr></w:pPr></w:style>` +
		`</w:styles>`
	return entries
}

const clauses = `<w:abstractNum w:abstractNumId="7">` +
	`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:pStyle w:val="H1"/>` +
	`<w:lvlText w:val="%1."/></w:lvl>` +
	`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:isLgl/></w:lvl>` +
	`<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/>` +
	`<w:lvlRestart w:val="1"/></w:lvl>` +
	`<w:lvl w:ilvl="3"><w:start w:val="1"/><w:numFmt w:val="none"/><w:lvlText w:val=""/></w:lvl>` +
	`</w:abstractNum><w:abstractNum w:abstractNumId="8"><w:numStyleLink w:val="Linked"/></w:abstractNum>` +
	`<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>` +
	`<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">` +
	`<w:startOverride w:val="5"/></w:lvlOverride></w:num>` +
	`<w:num w:numId="3"><w:abstractNumId w:val="8"/></w:num>` +
	`<w:num w:numId="4"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>` +
	`<w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1条"/></w:lvl></w:lvlOverride></w:num>`

func TestListsOfDOCXAreNumberedAsWordShowsThem(t *testing.T) {
	tests := []struct{ name, paragraphs, want string }{
		{"levels", "1.0 1.1 1.1 1.0 1.1", "I. x|  1.1 x|  1.2 x|II. x|  2.1 x"},
		{"a level above that was not used", "1.1 1.1", "  1.1 x|  1.2 x"},
		{
			"a level that restarts only after the first", "1.0 1.1 1.2 1.1 1.2 1.0 1.2",
			"I. x|  1.1 x|    (a) x|  1.2 x|    (b) x|II. x|    (a) x",
		},
		{"another use of the same list goes on", "1.0 1.0 3.0", "I. x|II. x|III. x"},
		{"a use that starts elsewhere", "1.0 2.0 2.0", "I. x|V. x|VI. x"},
		{"a use with its own level", "4.0 4.0 4.1", "第一条 x|第二条 x|  2.1 x"},
		{"no mark", "1.3", "x"},
		{"no list", "0.0 99.0", "x||- x"},
		{"a level that does not exist", "1.99 1.-5", ""},
	}
	for _, tt := range tests {
		document, err := readEntries(t, numberedDOCX(clauses, strings.Fields(tt.paragraphs)...))
		if got := strings.ReplaceAll(document.Text, "\n", "|"); err != nil || tt.want != "" && got != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestStylesNumberParagraphs(t *testing.T) {
	entries := numberedDOCX(clauses)
	styled := func(style, props string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/>` + props + `</w:pPr><w:r><w:t>x</w:t></w:r></w:p>`
	}
	const old = `<w:pPrChange><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:pPrChange>`
	entries["word/document.xml"] = extracttest.DOCX(styled("H1", "") + styled("H2", old) + styled("Plain", "") +
		styled("H1", `<w:numPr><w:numId w:val="0"/></w:numPr>`) + styled("H1", "") +
		`<w:tbl><w:tr><w:tc>` + styled("H1", "") + `</w:tc></w:tr></w:tbl>`)["word/document.xml"]
	document, err := readEntries(t, entries)
	const want = "# I. x\n\n## 1.1 x\n\nx\n\n# x\n\n# II. x\n\nIII. x"
	if err != nil || document.Text != want {
		t.Errorf("got %q, %v", document.Text, err)
	}
}
