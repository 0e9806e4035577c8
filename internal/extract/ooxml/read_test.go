package ooxml

import (
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readEntries reads the Office document that has these parts.
func readEntries(t *testing.T, entries map[string]string) (prose.Document, error) {
	t.Helper()
	a, err := zipxml.Open([]byte(extracttest.Zip(t, entries)), 8<<20)
	if err != nil {
		return prose.Document{}, err
	}
	mediaType, _, err := MainPart(a)
	if err != nil {
		return prose.Document{}, err
	}
	out := &prose.Output{Limit: 1 << 20}
	switch mediaType {
	case DOCX:
		err = ReadDOCX(out, a)
	case XLSX:
		err = ReadXLSX(out, a, 8<<20)
	case PPTX:
		err = ReadPPTX(out, a)
	default:
		t.Fatalf("no document of Office, but %q", mediaType)
	}
	if err != nil {
		return prose.Document{}, err
	}
	return out.Document(prose.ErrEmpty)
}

func fuzzPart(f *testing.F, entries func(part string) map[string]string) {
	f.Fuzz(func(t *testing.T, part []byte) {
		document, err := readEntries(t, entries(string(part)))
		extracttest.Check(t, document, err)
	})
}
