package ooxml

import (
	"testing"

	"parley/internal/extract/extracttest"
)

// FuzzDOCX and the fuzz tests of other packed formats change the part that holds the
// text: a zip file with changed bytes is usually just broken.
func FuzzDOCX(f *testing.F) {
	f.Add([]byte(`<w:p><w:r><w:t>a</w:t><w:tab/><w:footnoteReference w:id="1"/></w:r></w:p>` +
		`<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`))
	extracttest.FuzzPart(f, decode, func(part string) map[string]string { return extracttest.DOCX(part) })
}

func FuzzPPTX(f *testing.F) {
	f.Add([]byte(`<p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>a</a:t></a:r></a:p></p:sp>` +
		`<a:tbl><a:tr><a:tc/></a:tr></a:tbl>`))
	relation := func(kind, target string) string {
		return `<Relationships><Relationship Id="r1" Type="x/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	extracttest.FuzzPart(f, decode, func(part string) map[string]string {
		return map[string]string{
			extracttest.ContentTypes: extracttest.MainPartType("/ppt/p.xml", extracttest.MainPPTX),
			"ppt/p.xml": `<p:presentation xmlns:p="p" xmlns:r="r">` +
				`<p:sldId id="1" r:id="r1"/></p:presentation>`,
			"ppt/_rels/p.xml.rels":        relation("slide", "slides/s.xml"),
			"ppt/slides/_rels/s.xml.rels": relation("notesSlide", "../n.xml"),
			"ppt/slides/s.xml":            `<p:sld xmlns:p="p" xmlns:a="a">` + part + `</p:sld>`,
			"ppt/n.xml":                   `<p:notes xmlns:p="p" xmlns:a="a">` + part + `</p:notes>`,
		}
	})
}

func FuzzXLSX(f *testing.F) {
	f.Add([]byte(`<row r="1"><c r="A1"><v>1</v></c><c r="C1" t="inlineStr"><is><t>last</t></is></c></row>`))
	extracttest.FuzzPart(f, decode, func(part string) map[string]string { return extracttest.XLSX(part) })
}
