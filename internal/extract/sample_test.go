package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/extract/extracttest"
	"parley/internal/extract/odf"
	"parley/internal/extract/ole"
	"parley/internal/extract/ooxml"
	"parley/internal/extract/prose"
	"parley/internal/testtier"
)

func TestDocumentsOfRealProgramsAreRead(t *testing.T) {
	const (
		cat      = "The keeper of the lighthouse at Punta Carena has a cat called Palinuro."
		gato     = "灯塔看守人的猫名叫帕利努罗，它今年七岁。"
		footnote = "\n\n[1] Children under four travel free of charge.\n\n"
		header   = "Harbour Office circular 17"
		footer   = "Printed in Sorrento"
		table    = "Capri\tMarina Grande\t50 minutes\n"
		row      = "普罗奇达\t大码头\t四十分钟"
		list     = "\n\n- It eats anchovies.\n- It sleeps on the lamp.\n\n"
		tabbed   = "- It sleeps\ton the lamp."
		free     = "euros.[1]" + footnote
		mark     = "euros.[1]\n"
		note     = "\n\n[1]Children under four"
		slides   = "# The lighthouse\n\nThe cat is called Palinuro.\n灯塔看守人的猫名叫帕利努罗。\n\n" +
			"Notes:\nRemember to mention the anchovies.\n\n# Going home"
		listed = "# The lighthouse\n\n- The cat is called Palinuro.\n- 灯塔看守人的猫名叫帕利努罗。\n\n" +
			"Notes:\nRemember to mention the anchovies.\n\n# Going home"
		sheets = "Island\tPrice\tValid from\nCapri\t23.5\t2026-05-01\nIschia\t19\nTogether\t42.5\n\n" +
			"猫\t帕利努罗 (Palinuro)\n\t\t\tfar away"
		chart    = "\n\nChart: Traffic in May\nAxes: Harbor\n\tBoats\tGuests\nCapri\t12\t2300.5\nIschia\t7\t1100"
		formulas = "The roots are x=(−b±√(b^2−4ac))/(2a), as is known.\n\n∑_(i=1)^n i^2=(n(n+1)(2n+1))/6"
		duration = "Capri Marina Grande 50 minutes"
	)
	tests := []struct {
		name, mediaType string
		facts           []string
	}{
		{"pandoc.docx", ooxml.DOCX, []string{cat, gato, free, table, row, list, "# The lighthouse\n"}},
		{"libreoffice.docx", ooxml.DOCX, []string{cat, gato, free, table, row, header, footer, tabbed}},
		{"pandoc.odt", odf.ODT, []string{cat, gato, free, table, row, list, "# The lighthouse\n"}},
		{"libreoffice.odt", odf.ODT, []string{cat, gato, free, table, row, header, footer, tabbed}},
		{"libreoffice.ods", odf.ODS, []string{sheets}},
		{"libreoffice.odp", odf.ODP, []string{listed}},
		{"pandoc.rtf", typeRTF, []string{cat, gato, free, table, row, "“Da Nello”"}},
		{"libreoffice.rtf", typeRTF, []string{cat, gato, free, table, row, header, footer, "- It eats anchovies.\n"}},
		{"pandoc.epub", typeEPUB, []string{cat, gato, mark, table, row, list, "# The lighthouse\n"}},
		{"libreoffice.epub", typeEPUB, []string{cat, gato, mark, note, table, row}},
		{"pandoc.html", typeHTML, []string{cat, gato, mark, table, row, list, "# The lighthouse\n"}},
		{"libreoffice.html", typeHTML, []string{cat, gato, mark, note, table, row, header}},
		{"pandoc.pptx", ooxml.PPTX, []string{slides}},
		{"libreoffice.pptx", ooxml.PPTX, []string{slides}},
		{"libreoffice.xlsx", ooxml.XLSX, []string{sheets}},
		{"libreoffice.doc", ole.DOC, []string{cat, gato, free, table, row, header, footer, tabbed, "# Getting there\n"}},
		{"libreoffice.ppt", ole.PPT, []string{slides}},
		{"libreoffice.xls", ole.XLS, []string{sheets}},
		{"formula.docx", ooxml.DOCX, []string{formulas}},
		{"boats.xlsx", ooxml.XLSX, []string{chart, "\n\nComment on B2: One of them is a wreck.\n\n"}},
		{"comments.docx", ooxml.DOCX, []string{"nine o'clock.\n\nComment on \"nine o'clock\" by Ada: Is it not half"}},
		{"libreoffice.pdf", typePDF, []string{cat, gato, duration, "大码头", header, "• It eats anchovies."}},
		{"chromium.pdf", typePDF, []string{cat, "帕利努罗，它今年七岁。", duration, "大码头"}},
		{"100-pages.pdf", typePDF, []string{"The number of day 50 is 395950.", "The number of day 100 is 791900."}},
		{"guide.fodt", typeFlatODF, []string{cat, gato, table, row}},
		{"guide.md", markdown, []string{cat, gato}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			document, err := reader.Read(t.Context(), extracttest.Sample(t, tt.name), tt.name)
			if err != nil || document.Type != tt.mediaType {
				t.Fatalf("got %q, %v", document.Type, err)
			}
			for _, fact := range tt.facts {
				if !strings.Contains(document.Text, fact) {
					t.Errorf("%q is missing in\n%.3000s", fact, document.Text)
				}
			}
			checkDocument(t, document)
		})
	}
}

func TestPagesSlidesAndSheetsAreAnchors(t *testing.T) {
	tests := []struct{ name, fact, anchor string }{
		{"libreoffice.pdf", "Palinuro", "page 2"},
		{"100-pages.pdf", "The number of day 73 is", "page 73"},
		{"pandoc.pptx", "anchovies", "slide 3"},
		{"pandoc.epub", "Palinuro", "section 3"},
		{"libreoffice.xlsx", "23.5", "sheet Prices"},
		{"libreoffice.xlsx", "帕利努罗", "sheet 灯塔"},
		{"libreoffice.xls", "帕利努罗", "sheet 灯塔"},
		{"libreoffice.ppt", "anchovies", "slide 3"},
		{"libreoffice.ods", "23.5", "sheet Prices"},
		{"libreoffice.ods", "帕利努罗", "sheet 灯塔"},
		{"libreoffice.odp", "anchovies", "slide 3"},
		{"pandoc.docx", "Palinuro", ""},
	}
	for _, tt := range tests {
		document, err := reader.Read(t.Context(), extracttest.Sample(t, tt.name), tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := document.Anchors.At(strings.Index(document.Text, tt.fact)); got != tt.anchor {
			t.Errorf("%s: %q is on %q, not %q", tt.name, tt.fact, got, tt.anchor)
		}
	}
}

func TestNumbersOfARealContractAreRead(t *testing.T) {
	const lists = "(a) The cat is fed twice a day:\n  i. in the morning with anchovies;\n" +
		"  ii. in the evening with bread.\n" +
		"    - Never with cheese.\n(b) The cat sleeps on the lamp.\n  i. But not at night.\n"
	for _, name := range []string{"contract.docx", "contract.rtf"} {
		document, err := reader.Read(t.Context(), extracttest.Sample(t, name), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range []string{
			"# 1. Parties\n", "## 2.2 The cat\n", lists, "# 3. 附则\n", "第二条 猫名叫帕利努罗。\n", "V. The fifth annex",
		} {
			if !strings.Contains(document.Text, fact) {
				t.Errorf("%s: %q is missing in\n%s", name, fact, document.Text)
			}
		}
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	locked := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 1000) +
		"E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	odt := extracttest.Zip(t, map[string]string{
		"mimetype": odf.ODT, "content.xml": extracttest.Noise(100),
		"META-INF/manifest.xml": `<m:manifest xmlns:m="x"><m:file-entry m:full-path="content.xml">` +
			`<m:encryption-data/></m:file-entry></m:manifest>`,
	})
	bodiless := extracttest.Zip(t, map[string]string{
		extracttest.ContentTypes: extracttest.DOCX("")[extracttest.ContentTypes],
	})
	tests := []struct {
		name    string
		content string
		reason  *parley.Error
	}{
		{"encrypted PDF", string(extracttest.Sample(t, "encrypted.pdf")), prose.ErrEncrypted},
		{"encrypted DOCX", locked, prose.ErrEncrypted},
		{"encrypted ODT", odt, prose.ErrEncrypted},
		{"scanned PDF", string(extracttest.Sample(t, "scanned.pdf")), prose.ErrScanned},
		{"cut DOC", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), prose.ErrBroken},
		{"cut PDF", "%PDF-1.7\n%abc", prose.ErrBroken},
		{"cut DOCX", string(extracttest.Sample(t, "pandoc.docx"))[:5000], prose.ErrBroken},
		{"empty HTML", "<!DOCTYPE html><html><body><script>x()</script></body></html>", prose.ErrEmpty},
		{"empty RTF", `{\rtf1\ansi \par}`, prose.ErrEmpty},
		{"empty DOCX", extracttest.Zip(t, extracttest.DOCX(`<w:p/>`)), prose.ErrEmpty},
		{"DOCX without its body", bodiless, prose.ErrBroken},
	}
	for _, tt := range tests {
		_, err := reader.Read(t.Context(), []byte(tt.content), "a")
		if !extracttest.IsRefusal(err, tt.reason) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.reason)
		}
	}
}

// checkDocument checks what Read guarantees for every document.
func checkDocument(t testing.TB, document prose.Document) {
	t.Helper()
	if document.Type == "" {
		t.Errorf("no type: text %.200q", document.Text)
	}
	extracttest.CheckText(t, document)
}

// bent returns variants of a file: truncated, and with flipped bits.
func bent(file []byte, n int) [][]byte {
	random := rand.New(rand.NewPCG(4, uint64(len(file))))
	var all [][]byte
	for range n {
		all = append(all, file[:random.IntN(len(file))])
		turned := bytes.Clone(file)
		for range 1 + random.IntN(8) {
			turned[random.IntN(len(turned))] ^= 1 << random.IntN(8)
		}
		all = append(all, turned)
	}
	return all
}

func TestBentFilesAreReadOrRefused(t *testing.T) {
	testtier.Slow(t)
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			if filepath.Ext(name) == ".pdf" {
				t.Skip("package sandbox bends these: an engine under the race detector is slow")
			}
			for i, file := range bent(extracttest.Sample(t, name), 100) {
				document, err := reader.Read(t.Context(), file, name)
				if err == nil {
					checkDocument(t, document)
				} else if !extracttest.IsKnownRefusal(err) {
					t.Errorf("variant %d: %v", i, err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{
		"100-pages.pdf", "libreoffice.pdf", "libreoffice.docx", "libreoffice.odt", "libreoffice.rtf", "libreoffice.html",
		"pandoc.epub", "pandoc.pptx", "libreoffice.xlsx",
	} {
		file := extracttest.Sample(b, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := reader.Read(b.Context(), file, name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLargeDOCX(b *testing.B) {
	var body strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&body, `<w:p><w:r><w:t>Paragraph %d says that the ferry leaves at nine.</w:t></w:r></w:p>`, i)
	}
	file := []byte(extracttest.Zip(b, extracttest.DOCX(body.String())))
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reader.Read(b.Context(), file, "a.docx"); err != nil {
			b.Fatal(err)
		}
	}
}
