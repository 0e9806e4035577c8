package extract

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"parley"
	"parley/internal/extract/extracttest"
)

func TestDetectRefinesTextByItsName(t *testing.T) {
	tests := []struct {
		name, content, want string
	}{
		{"notes.txt", "The ferry leaves at nine.", "text/plain"},
		{"notes", "The ferry leaves at nine.", "text/plain"},
		{"notes.unknown", "The ferry leaves at nine.", "text/plain"},
		{"notes.pdf", "The ferry leaves at nine.", "text/plain"},
		{"notes.md", "# Ferries", "text/markdown"},
		{"NOTES.MARKDOWN", "# Ferries", "text/markdown"},
		{"readme.md", "<p align=\"center\">logo</p>\n\n# Ferries", "text/markdown"},
		{"readme.md", "<!-- made by hand -->\n# Ferries", "text/markdown"},
		{"table.csv", "island,hour\nCapri,9\n", "text/csv"},
		{"table.txt", "island,hour\nCapri,9\n", "text/plain"},
		{"data.json", `{"island": "Capri"}`, "application/json"},
		{"data.yaml", "island: Capri\n", "application/yaml"},
		{"main.go", "package main\n", "text/x-go"},
		{"run.sh", "#!/bin/sh\necho hi\n", "text/x-shellscript"},
		{"page.php", "<?php echo 1;", "text/x-php"},
		{"abbreviation.txt", "MZ is how the minutes call the city.", "text/plain"},
		{"abbreviation.txt", "CWS meeting, Monday. 会议记录", "text/plain"},
		{"quote.txt", "From: Ada\nTo: Bob\nSubject: Ferries\n\nAt nine.", "text/plain"},
		{"quote.eml", "From: Ada\nTo: Bob\nSubject: Ferries\n\nAt nine.", typeEML},
		{"mail", "Received: from x\n by y\nFrom: Ada\nSubject: Ferries\n\nAt nine.", typeEML},
		{"mail", "\r\n\nReceived: from x\nFrom: Ada\nSubject: Ferries\n\nAt nine.", typeEML},
		{"page.mht", "From: <Saved by Blink>\nMIME-Version: 1.0\n\nx", typeMHTML},
		{"all.mbox", "From ada@x Mon Jan  5 09:00:00 2026\nMessage-ID: <1>\nFrom: Ada\n\nx", typeMbox},
		{"letter.txt", "From Ada to Bob at 09:00\nMIME-Version: 1.0 is a header.", "text/plain"},
		{"minutes.txt", "Date: Monday\nReceived: the keys\nwere handed over", "text/plain"},
		{"book.ipynb", `{"cells": []}`, typeNotebook},
		{"book.json", `{"cells": [{"cell_type": "code"}]}`, typeNotebook},
		{"drawing.txt", `<svg xmlns="http://www.w3.org/2000/svg"></svg>`, typeSVG},
		{"empty.txt", "", "text/plain"},
		{"chinese.txt", "渡轮早上九点出发", "text/plain"},
		{"gbk.txt", "\xb6\xc9\xc2\xd6\xd4\xe7\xc9\xcf", "text/plain"},
		{"sixteen.md", "\xff\xfe#\x00 \x00h\x00i\x00", "text/markdown"},
	}
	for _, tt := range tests {
		got, err := detect([]byte(tt.content), tt.name)
		if err != nil || got != tt.want {
			t.Errorf("%s %.20q: got %q, %v, want %q", tt.name, tt.content, got, err, tt.want)
		}
	}
}

func TestDetectGoesByTheBytes(t *testing.T) {
	html, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("<!DOCTYPE html><p>hi</p>")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ content, want string }{
		{"<!DOCTYPE html><html><body>The ferry leaves at nine.</body></html>", typeHTML},
		{"\ufeff<html><body>hi</body></html>", typeHTML},
		{html, typeHTML},
		{"\n  <script>alert(1)</script>", typeHTML},
		{`<?xml version="1.0"?><!-- a --><html xmlns="http://www.w3.org/1999/xhtml"><body>x</body></html>`, typeHTML},
		{"<?xml version=\"1.0\"?>\n<!DOCTYPE html [<!ENTITY a \"b\">]>\n<HTML><body>x</body></HTML>", typeHTML},
		{"<!-- made by hand -->\n<html><p>x</html>", typeHTML},
		{`<?xml version="1.0"?><!-- <html> --><htmlish/>`, typeXML},
		{`<?xml version="1.0"?><island>Capri</island>`, typeXML},
		{`<?xml version="1.0"?><Workbook><page/></Workbook>`, typeXML},
		{`<?xml version="1.0"?><rss version="2.0"><channel/></rss>`, typeXML},
		{`{\rtf1 The ferry leaves at nine.}`, typeRTF},
		{"%PDF-1.7\n1 0 obj\n<< >>\nendobj\n", typePDF},
	}
	for _, tt := range tests {
		for _, name := range []string{"notes.txt", "notes.csv", "notes", "notes.png"} {
			if got, err := detect([]byte(tt.content), name); err != nil || got != tt.want {
				t.Errorf("%.20q named %s: got %q, %v", tt.content, name, got, err)
			}
		}
	}
}

func TestOtherFormatsAreUnsupportedWhateverTheirName(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		self = []byte("\x7fELF\x02\x01\x01\x00")
	}
	visio := extracttest.MainPartType("/x", "application/vnd.ms-visio.drawing.main+xml")
	for kind, content := range map[string]string{
		"executable": string(self[:min(len(self), HeadSize)]),
		"windows":    "MZ\x90\x00\x03\x00\x00\x00",
		"zip":        extracttest.Zip(t, map[string]string{"notes.txt": "hi"}),
		"odg":        extracttest.Zip(t, map[string]string{"mimetype": "application/vnd.oasis.opendocument.graphics"}),
		"visio":      extracttest.Zip(t, map[string]string{extracttest.ContentTypes: visio}),
		"gzip":       "\x1f\x8b\x08\x00\x00\x00\x00\x00",
		"nul":        "The ferry\x00leaves at nine.",
		"noise":      extracttest.Noise(HeadSize),
	} {
		for _, name := range []string{"notes.txt", "notes.docx", "notes.pdf", "notes"} {
			_, err := reader.Read(t.Context(), []byte(content), name)
			var e *parley.Error
			if !errors.Is(err, parley.ErrFormatUnsupported) || !errors.As(err, &e) || !strings.Contains(e.Message, "PDF, DOCX") {
				t.Errorf("%s named %s: %v", kind, name, err)
			}
		}
	}
	if strings.Contains(parley.ErrFormatUnsupported.Message, "DOCX") {
		t.Error("the shared error was changed")
	}
}

func TestAPartOfAPageIsKnownByItsName(t *testing.T) {
	for _, part := range []string{
		"<article><p>x</article>", "<h3 class=a>x</h3>", "<!-- a -->\n<custom-part>x", `<?xml version="1.0"?><div>x</div>`,
		"At <b>nine</b>.",
	} {
		if got, err := detect([]byte(part), "part.HTML"); err != nil || got != typeHTML {
			t.Errorf("%q: got %q, %v", part, got, err)
		}
	}
}

func TestAPageNamedMarkdownIsNotMarkdown(t *testing.T) {
	for _, page := range []string{"<!doctype html><title>x</title>", "\n<HTML><body>x", "\ufeff<html>"} {
		if got, err := detect([]byte(page), "page.md"); err != nil || got != typeHTML {
			t.Errorf("%q: got %q, %v", page, got, err)
		}
	}
}
