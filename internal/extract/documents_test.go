package extract

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/odf"
	"parley/internal/extract/ole"
	"parley/internal/extract/ooxml"
)

// listedFormats returns the first column of the table of formats in docs/documents.md.
func listedFormats(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/documents.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Formats\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var formats []string
	for _, line := range strings.Split(table, "\n")[2:] {
		format, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		formats = append(formats, format)
	}
	return formats
}

func TestTheListedFormatsAreRead(t *testing.T) {
	const saved = "MIME-Version: 1.0\nSnapshot-Content-Location: https://example.com/\nContent-Type: text/html\n\n<p>a</p>"
	const mailbox = "From ada@example.com Mon Jan  5 09:00:00 2026\nMessage-ID: <1>\nFrom: ada@example.com\n\nThe first.\n"
	outlooks := string(extracttest.Compound(outlook()))
	file := func(name string) string { return string(extracttest.Sample(t, name)) }
	seen := func(name string) string { return string(pictureFile(t, name)) }
	samples := map[string]map[string]string{ // by format and type
		"plain text, Markdown, CSV, source code": {plainText: "a", markdown: file("guide.md")},
		"HTML":                                   {typeHTML: file("pandoc.html")},
		"PDF":                                    {typePDF: file("libreoffice.pdf")},
		"DOCX":                                   {ooxml.DOCX: file("pandoc.docx")},
		"PPTX":                                   {ooxml.PPTX: file("pandoc.pptx")},
		"XLSX":                                   {ooxml.XLSX: file("libreoffice.xlsx")},
		"ODT":                                    {odf.ODT: file("pandoc.odt")},
		"ODS":                                    {odf.ODS: file("libreoffice.ods")},
		"ODP":                                    {odf.ODP: file("libreoffice.odp")},
		"EPUB":                                   {typeEPUB: file("pandoc.epub")},
		"FB2":                                    {typeFB2: book},
		"OpenDocument, Word 2003 and Excel 2003 in a single XML file": {
			typeFlatODF: flatText, typeWordXML: wordXML, typeSheetXML: sheetXML,
		},
		"RTF":                         {typeRTF: file("pandoc.rtf")},
		"DOC (Word 97 to 2003)":       {ole.DOC: file("libreoffice.doc")},
		"XLS (Excel 5 to 2003)":       {ole.XLS: file("libreoffice.xls")},
		"PPT (PowerPoint 97 to 2003)": {ole.PPT: file("libreoffice.ppt")},
		"EML, MSG, mbox":              {typeEML: message(), ole.MSG: outlooks, typeMbox: mailbox},
		"MHTML":                       {typeMHTML: saved},
		"IPYNB":                       {typeNotebook: `{"cells": [{"cell_type": "raw", "source": "a"}]}`},
		"SVG":                         {typeSVG: `<svg xmlns="http://www.w3.org/2000/svg"><text>a</text></svg>`},
		"PNG, JPEG, WebP, GIF": {
			"image/png": seen("turned.png"), "image/jpeg": seen("turned-6.jpg"), "image/webp": seen("lossy.webp"),
			"image/gif": seen("animated.gif"),
		},
	}
	listed := listedFormats(t)
	if !slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(maps.Keys(samples))) {
		t.Errorf("listed are %q", listed)
	}
	r := reader
	r.Pictures = true
	for format, files := range samples {
		for mediaType, content := range files {
			name := "a"
			if mediaType == markdown {
				name = "a.md"
			}
			if document, err := r.Read(t.Context(), []byte(content), name); err != nil || document.Type != mediaType {
				t.Errorf("%s: got %q, %v, want %q", format, document.Type, err, mediaType)
			}
		}
	}
}
