package extract

import (
	"archive/zip"
	"bytes"
	"errors"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"parley"
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
		{"empty.txt", "", "text/plain"},
		{"chinese.txt", "渡轮早上九点出发", "text/plain"},
		{"gbk.txt", "\xb6\xc9\xc2\xd6\xd4\xe7\xc9\xcf", "text/plain"},
		{"sixteen.md", "\xff\xfe#\x00 \x00h\x00i\x00", "text/markdown"},
	}
	for _, tt := range tests {
		got, err := Detect([]byte(tt.content), tt.name)
		if err != nil || got != tt.want {
			t.Errorf("%s %.20q: got %q, %v, want %q", tt.name, tt.content, got, err, tt.want)
		}
	}
}

func TestDetectGoesByTheBytes(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		self = []byte("\x7fELF\x02\x01\x01\x00")
	}
	html, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("<!DOCTYPE html><p>hi</p>")
	if err != nil {
		t.Fatal(err)
	}
	for kind, content := range map[string]string{
		"executable":     string(self[:min(len(self), HeadSize)]),
		"windows":        "MZ\x90\x00\x03\x00\x00\x00",
		"png":            picture(t, func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }),
		"jpeg":           picture(t, func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }),
		"gif":            picture(t, func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }),
		"svg":            `<svg xmlns="http://www.w3.org/2000/svg"></svg>`,
		"html":           "<!DOCTYPE html><html><body>The ferry leaves at nine.</body></html>",
		"html, bom":      "\ufeff<html><body>hi</body></html>",
		"html, utf-16":   html,
		"html, fragment": "\n  <script>alert(1)</script>",
		"xml":            `<?xml version="1.0"?><island>Capri</island>`,
		"rtf":            `{\rtf1 The ferry leaves at nine.}`,
		"pdf":            "%PDF-1.7\n1 0 obj\n<< >>\nendobj\n",
		"zip":            archive(t),
		"gzip":           "\x1f\x8b\x08\x00\x00\x00\x00\x00",
		"nul":            "The ferry\x00leaves at nine.",
		"noise":          noise(HeadSize),
	} {
		for _, name := range []string{"notes.txt", "notes.csv", "notes"} {
			got, err := Detect([]byte(content), name)
			if !errors.Is(err, parley.ErrFormatUnsupported) || got != "" {
				t.Errorf("%s named %s: got %q, %v", kind, name, got, err)
			}
		}
	}
}

func TestAPageNamedMarkdownIsNotMarkdown(t *testing.T) {
	for _, page := range []string{"<!doctype html><title>x</title>", "\n<HTML><body>x", "\ufeff<html>"} {
		if got, err := Detect([]byte(page), "page.md"); !errors.Is(err, parley.ErrFormatUnsupported) {
			t.Errorf("%q: got %q, %v", page, got, err)
		}
	}
}

func TestUnsupportedSaysWhatIsTaken(t *testing.T) {
	_, err := Detect([]byte("%PDF-1.7\n"), "a.pdf")
	var e *parley.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "Markdown") {
		t.Errorf("got %v", err)
	}
	if parley.ErrFormatUnsupported.Message == e.Message {
		t.Error("the shared error was changed")
	}
}

func TestTextTakesOnlyWhatDetectGives(t *testing.T) {
	for _, mediaType := range []string{"", "application/pdf", "text/html", "text/plain; charset=utf-8"} {
		err := Text(&strings.Builder{}, strings.NewReader("hi"), mediaType, 100)
		if !errors.Is(err, parley.ErrFormatUnsupported) {
			t.Errorf("%q: %v", mediaType, err)
		}
	}
}

func picture(t *testing.T, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewPaletted(image.Rect(0, 0, 8, 8), palette.Plan9)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func archive(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("notes.txt"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func noise(size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return string(b)
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte("# Ferries"), "notes.md")
	f.Add([]byte("\xff\xfe<\x00h\x00t\x00m\x00l\x00"), "notes.txt")
	f.Add([]byte("MZ\x90\x00"), "a.txt")
	f.Add([]byte("%PDF-1.7\n"), "a.pdf")
	f.Fuzz(func(t *testing.T, head []byte, name string) {
		mediaType, err := Detect(head, name)
		if (err == nil) != isTextType(mediaType) {
			t.Errorf("got %q, %v", mediaType, err)
		}
	})
}
