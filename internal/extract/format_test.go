package extract

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
)

func TestNULsDoNotMakeAnRTFBinary(t *testing.T) {
	for _, content := range []string{"{\\rtf1 The ferry}\x00", "{\\rtf1 The\x00 ferry}\r\n\x00\x00"} {
		document, err := reader.Read(t.Context(), []byte(content), "a.rtf")
		if err != nil || document.Type != typeRTF || document.Text != "The ferry" {
			t.Errorf("%q: got %+v, %v", content, document, err)
		}
	}
}

func TestTextOverTheLimitIsRefused(t *testing.T) {
	small := reader
	small.MaxText = 100
	for _, name := range []string{
		"pandoc.docx", "pandoc.odt", "pandoc.epub", "pandoc.rtf", "pandoc.html", "pandoc.pptx", "libreoffice.pdf", "guide.md",
	} {
		_, err := small.Read(t.Context(), extracttest.Sample(t, name), name)
		if !extracttest.IsRefusal(err, prose.ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"The ferry leaves at nine.\r\n", "渡轮", "\xc4\xe3\xba\xc3", "\xff\xfeh\x00i\x00", "\xfe\xff\xd8\x00", "\xef\xbb\xbfhi",
		"caf\xe9", "\x83\x65\x83\x58", "a\x00b", extracttest.Noise(200), "MZ\x90\x00",
		"<?xml version='1.0' encoding='big5'?><a>\xa4\xa4</a>",
	} {
		f.Add([]byte(seed))
	}
	fuzz(f, "a.md")
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte(extracttest.Zip(f, extracttest.DOCX(`<w:p><w:r><w:t>a</w:t></w:r></w:p>`))))
	f.Add(extracttest.Sample(f, "pandoc.epub"))
	fuzz(f, "a.docx")
}

func fuzz(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, file []byte) { check(t, file, name) })
}

// check fails the test unless a file is read or refused.
func check(t *testing.T, file []byte, name string) {
	t.Helper()
	limited := Reader{MaxText: 1 << 20, MaxUnpacked: 8 << 20, Cache: reader.Cache}
	document, err := limited.Read(t.Context(), file, name)
	switch {
	case err == nil:
		checkDocument(t, document)
	case !extracttest.IsKnownRefusal(err):
		t.Errorf("got %v", err)
	case strings.Contains(fmt.Sprint(err), "panic"):
		t.Errorf("got %v", err)
	}
}
