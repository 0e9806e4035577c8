package ooxml

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

// relationships returns the relations of a part: pairs of a kind and a target, with the
// ids r1, r2 and so on.
func relationships(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&b, `<Relationship Id="r%d" Type="x/%s" Target="%s"/>`, i/2+1, pairs[i], pairs[i+1])
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// pptx returns the parts of a presentation with these slides.
func pptx(slides ...string) map[string]string {
	entries := map[string]string{extracttest.ContentTypes: extracttest.MainPartType("/ppt/p.xml", extracttest.MainPPTX)}
	var ids strings.Builder
	var relations []string
	for i, slide := range slides {
		fmt.Fprintf(&ids, `<p:sldId id="%d" r:id="r%d"/>`, i+256, i+1)
		relations = append(relations, "slide", fmt.Sprintf("slides/s%d.xml", i+1))
		entries[fmt.Sprintf("ppt/slides/s%d.xml", i+1)] = `<p:sld xmlns:p="p" xmlns:a="a">` + slide + `</p:sld>`
	}
	entries["ppt/p.xml"] = `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>` + ids.String() +
		`</p:sldIdLst></p:presentation>`
	entries["ppt/_rels/p.xml.rels"] = relationships(relations...)
	return entries
}

// shape returns a shape of a slide with this text.
func shape(text string) string {
	return `<p:sp><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:sp>`
}

func TestAPictureOfASlideIsWhatItsDescriptionSays(t *testing.T) {
	picture := `<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="A ferry at the pier"/></p:nvPicPr></p:pic>`
	document, err := readEntries(t, pptx(shape("one")+picture+shape("two")))
	if err != nil || document.Text != "one\n\nA ferry at the pier\n\ntwo" {
		t.Errorf("got %q, %v", document.Text, err)
	}
}

func TestSectionsOfAPresentationAreNoSlides(t *testing.T) {
	entries := pptx(shape("one"), shape("two"))
	entries["ppt/p.xml"] = strings.Replace(entries["ppt/p.xml"], "</p:presentation>",
		`<p:extLst><p:ext><p14:sectionLst xmlns:p14="q"><p14:section><p14:sldIdLst><p14:sldId id="256"/>`+
			`<p14:sldId id="257"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>`, 1)
	document, err := readEntries(t, entries)
	if err != nil || document.Text != "one\n\ntwo" || len(document.Anchors) != 2 || document.Notes != nil {
		t.Errorf("got %+v, %v", document, err)
	}
}

func TestTheMainPartIsFoundByItsRelation(t *testing.T) {
	const paragraph = `<w:p><w:r><w:t>The ferry leaves at nine.</w:t></w:r></w:p>`
	byDefault := func(mediaType string) string {
		return `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="XML" ContentType="` + mediaType + `"/>` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`
	}
	word := extracttest.DOCX(paragraph)
	word[extracttest.ContentTypes] = byDefault(extracttest.MainDOCX)
	word["_rels/.rels"] = relationships("extended-properties", "docProps/app.xml", "officeDocument", "/word/document.xml")
	cased := extracttest.DOCX(paragraph)
	cased["Word/Document.xml"] = cased["word/document.xml"]
	delete(cased, "word/document.xml")
	cased["_rels/.rels"] = relationships("officeDocument", "word/document.xml")
	backslashed := extracttest.DOCX(paragraph)
	backslashed[`word\document.xml`] = backslashed["word/document.xml"]
	delete(backslashed, "word/document.xml")
	sheets := extracttest.XLSX(`<row r="1"><c r="A1" t="inlineStr"><is><t>The ferry leaves at nine.</t></is></c></row>`)
	sheets[extracttest.ContentTypes] = byDefault(extracttest.MainXLSX)
	for name, entries := range map[string]map[string]string{
		"DOCX": word, "XLSX": sheets, "names in another case": cased, "names with backslashes": backslashed,
	} {
		if document, err := readEntries(t, entries); err != nil || document.Text != "The ferry leaves at nine." {
			t.Errorf("%s: got %q, %v", name, document.Text, err)
		}
	}
}

func TestPartsAreReadInUTF16(t *testing.T) {
	const declaration = `<?xml version="1.0" encoding="UTF-16"?>`
	for name, charset := range map[string]encoding.Encoding{
		"little endian":                unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"big endian":                   unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		"little endian without a mark": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	} {
		entries := extracttest.DOCX(`<w:p><w:r><w:t>The ferry leaves at nine. 渡轮九点出发。</w:t></w:r></w:p>`)
		for part, content := range entries {
			wide, err := charset.NewEncoder().String(declaration + content)
			if err != nil {
				t.Fatal(err)
			}
			entries[part] = wide
		}
		document, err := readEntries(t, entries)
		if err != nil || document.Text != "The ferry leaves at nine. 渡轮九点出发。" {
			t.Errorf("%s: got %q, %v", name, document.Text, err)
		}
	}
}

func TestAPartThatIsNotReadRefusesNothing(t *testing.T) {
	picture := strings.Repeat("\x00", 4<<20)
	slides := pptx(shape("one"))
	slides["ppt/media/image1.emf"] = picture
	sheets := extracttest.XLSX(`<row r="1"><c r="A1"><v>1</v></c></row>`)
	sheets["xl/media/image1.emf"] = picture
	word := extracttest.DOCX(`<w:p><w:r><w:t>one</w:t></w:r></w:p>`)
	word["word/media/image1.emf"] = picture
	for name, entries := range map[string]map[string]string{"PPTX": slides, "XLSX": sheets, "DOCX": word} {
		if document, err := readEntries(t, entries); err != nil || document.Notes != nil {
			t.Errorf("%s: got %+v, %v", name, document, err)
		}
	}
}

func TestABrokenPartIsNotedAndTheRestIsRead(t *testing.T) {
	slides := pptx(shape("one"), shape("two")+"<a:tbl><a:tr><a:tc><broken", "<p:sp><", shape("four"))
	slides["ppt/slides/s3.xml"] = "<p:sld"
	sheets := extracttest.XLSX(`<row r="1"><c r="A1"><v>17</v></c></row>`)
	sheets["xl/workbook.xml"] = strings.Replace(sheets["xl/workbook.xml"], `</sheets>`,
		`<sheet name="Bad" sheetId="2" r:id="r2"/><sheet name="Gone" sheetId="3" r:id="r3"/></sheets>`, 1)
	sheets["xl/_rels/workbook.xml.rels"] = strings.Replace(sheets["xl/_rels/workbook.xml.rels"], `</Relationships>`,
		`<Relationship Id="r2" Type="x/worksheet" Target="worksheets/sheet2.xml"/>`+
			`<Relationship Id="r3" Type="x/worksheet" Target="worksheets/sheet3.xml"/></Relationships>`, 1)
	sheets["xl/worksheets/sheet2.xml"] = strings.Replace(sheets["xl/worksheets/sheet1.xml"], "</sheetData>", "<row", 1)
	word := extracttest.DOCX(`<w:p><w:r><w:t>one</w:t></w:r></w:p>`)
	word["word/_rels/document.xml.rels"] = relationships("header", "h.xml", "styles", "s.xml", "footnotes", "f.xml")
	word["word/h.xml"], word["word/s.xml"], word["word/f.xml"] = "<w:hdr", "<w:styles", "<w:footnotes"
	tests := []struct {
		name    string
		entries map[string]string
		text    string
		notes   []string
	}{
		{"PPTX", slides, "one\n\ntwo\n\nfour", []string{
			"slide 2 could be read only in part", "slide 3 could not be read",
		}},
		{"XLSX", sheets, "17\n\n17", []string{
			"sheet Bad could be read only in part", "sheet Gone could not be read",
		}},
		{"DOCX", word, "one", []string{
			"the styles could not be read", "the footnotes could not be read", "a header could not be read",
		}},
	}
	for _, tt := range tests {
		document, err := readEntries(t, tt.entries)
		if err != nil || document.Text != tt.text || !slices.Equal(document.Notes, tt.notes) {
			t.Errorf("%s: got %q, %q, %v", tt.name, document.Text, document.Notes, err)
		}
	}
	only := pptx("")
	only["ppt/slides/s1.xml"] = "<p:sld"
	noSheet := maps.Clone(extracttest.XLSX(""))
	delete(noSheet, "xl/worksheets/sheet1.xml")
	for _, entries := range []map[string]string{only, noSheet} {
		if document, err := readEntries(t, entries); !extracttest.IsRefusal(err, prose.ErrBroken) {
			t.Errorf("nothing to read: got %+v, %v", document, err)
		}
	}
}

func TestAFormulaWithoutAValueIsShown(t *testing.T) {
	rows := `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1*2</f><v>2</v></c></row>` +
		`<row r="4"><c r="B4"><f>SUM(A1:B1)</f><v></v></c><c r="C4"><f>NOW()</f></c></row>`
	document, err := readEntries(t, extracttest.XLSX(rows))
	if err != nil || document.Text != "1\t2\n\t=SUM(A1:B1)\t=NOW()" {
		t.Errorf("got %q, %v", document.Text, err)
	}
}
