package extract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

func TestHostileArchivesAreRefused(t *testing.T) {
	spaces := strings.Repeat(" ", 4<<20)
	bomb := extracttest.DOCX("")
	bomb["word/document.xml"] = `<w:document>` + spaces
	many := extracttest.DOCX(`<w:p><w:r><w:t>hi</w:t></w:r></w:p>`)
	for i := range zipxml.MaxEntries {
		many[fmt.Sprintf("word/%d", i)] = ""
	}
	spaced := strings.Repeat(" ", 1<<20)
	large := extracttest.DOCX(`<w:p><w:r><w:t>hi</w:t></w:r></w:p>`)
	var headers strings.Builder
	for i := range 9 {
		large[fmt.Sprintf("word/%d.xml", i)] = spaced
		fmt.Fprintf(&headers, `<Relationship Id="r%d" Type="x/header" Target="%d.xml"/>`, i, i)
	}
	large["word/_rels/document.xml.rels"] = `<Relationships>` + headers.String() + `</Relationships>`
	outside := func(name string) map[string]string {
		entries := extracttest.DOCX(`<w:p><w:r><w:t>hi</w:t></w:r></w:p>`)
		entries[name] = "x"
		return entries
	}
	tests := []struct {
		name    string
		entries map[string]string
		reason  *parley.Error
	}{
		{"packed too tightly", bomb, prose.ErrBomb},
		{"too many entries", many, prose.ErrBomb},
		{"too large altogether", large, prose.ErrBomb},
		{"a name that leads out", outside("../../etc/cron.d/x"), prose.ErrBroken},
		{"one with backslashes", outside(`word\..\..\x`), prose.ErrBroken},
		{"an absolute name", outside("/etc/passwd"), prose.ErrBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			limited := Reader{MaxText: 1 << 20, MaxUnpacked: 8 << 20}
			_, err := limited.Read(t.Context(), []byte(extracttest.Zip(t, tt.entries)), "a.docx")
			if !extracttest.IsRefusal(err, tt.reason) {
				t.Errorf("got %v, want %v", err, tt.reason)
			}
		})
	}
}

// TestATextIsLimitedByItsFile reads documents that unpack to less than the limits of any
// document, but to many times their size.
func TestATextIsLimitedByItsFile(t *testing.T) {
	read := func(size int) (prose.Document, int, error) {
		var text strings.Builder
		for i := 0; text.Len() < size; i++ {
			fmt.Fprintf(&text, "The ferry with the number %d leaves the harbor of Capri at nine in the morning. ", i*i%97)
		}
		file := []byte(extracttest.Zip(t, extracttest.DOCX("<w:p><w:r><w:t>"+text.String()+"</w:t></w:r></w:p>")))
		document, err := reader.Read(t.Context(), file, "a.docx")
		return document, len(file), err
	}
	if document, size, err := read(smallText - 1000); err != nil || len(document.Text) < textRatio*size {
		t.Errorf("a small one: %d bytes of text in %d, %v", len(document.Text), size, err)
	}
	if _, size, err := read(4 * smallText); !extracttest.IsRefusal(err, prose.ErrTooLong) {
		t.Errorf("4 MiB of text in %d bytes: %v", size, err)
	}
	if got := TextLimit(100<<20, 1<<20); got != textRatio<<20 {
		t.Errorf("a file of a MiB may have %d bytes of text", got)
	}
}

func TestAnXLSXBombIsRefusedBeforeItIsUnpacked(t *testing.T) {
	entries := extracttest.XLSX("")
	entries["xl/worksheets/sheet1.xml"] = strings.Repeat(" ", 4<<20)
	_, err := reader.Read(t.Context(), []byte(extracttest.Zip(t, entries)), "a.xlsx")
	if !extracttest.IsRefusal(err, prose.ErrBomb) {
		t.Errorf("got %v", err)
	}
}

func TestAnEncryptedEntryIsRefusedAsSuch(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range extracttest.DOCX(`<w:p><w:r><w:t>hi</w:t></w:r></w:p>`) {
		w, err := z.CreateRaw(&zip.FileHeader{
			Name:               name,
			Flags:              0x1,
			CompressedSize64:   uint64(len(content)),
			UncompressedSize64: uint64(len(content)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Read(t.Context(), b.Bytes(), "a.docx"); !extracttest.IsRefusal(err, prose.ErrEncrypted) {
		t.Errorf("got %v", err)
	}
}

func TestEntitiesAreNeitherExpandedNorFetched(t *testing.T) {
	const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">` +
		`<!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">` +
		`<!ENTITY lol2 "&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;">` +
		`<!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;"><!ENTITY outside SYSTEM "file:///etc/passwd">]>`
	for _, entity := range []string{"&lol3;", "&outside;"} {
		entries := extracttest.DOCX("")
		entries["word/document.xml"] = laughs + `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>ferry ` + entity +
			`</w:t></w:r></w:p></w:body></w:document>`
		document, err := reader.Read(t.Context(), []byte(extracttest.Zip(t, entries)), "a.docx")
		if !extracttest.IsRefusal(err, prose.ErrBroken) {
			t.Errorf("%s in DOCX: %.80q, %v", entity, document.Text, err)
		}
		plain := laughs + "<a>ferry " + entity + "</a>"
		if document, err := reader.Read(t.Context(), []byte(plain), "a.xml"); err != nil || document.Text != plain {
			t.Errorf("%s in XML: %.80q, %v", entity, document.Text, err)
		}
		page := laughs + "<html><body>ferry " + entity + "</body></html>"
		document, err = reader.Read(t.Context(), []byte(page), "a.html")
		if err != nil || len(document.Text) > len(page) || strings.Contains(document.Text, "root:") {
			t.Errorf("%s in HTML: %.80q, %v", entity, document.Text, err)
		}
	}
}

func TestDeepNestingIsReadOrRefused(t *testing.T) {
	const depth = 50_000
	tables := strings.Repeat("<w:tbl><w:tr><w:tc>", depth/3) + "<w:t>x</w:t>" +
		strings.Repeat("</w:tc></w:tr></w:tbl>", depth/3)
	for name, content := range map[string]string{
		"html": "<!DOCTYPE html>" + strings.Repeat("<div>", depth) + "x",
		"rtf":  `{\rtf1 ` + strings.Repeat("{", depth) + "x",
		"docx": extracttest.Zip(t, extracttest.DOCX(tables)),
	} {
		if _, err := reader.Read(t.Context(), []byte(content), name); err != nil && !extracttest.IsKnownRefusal(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
