package ooxml

import (
	"fmt"
	"testing"

	"parley/internal/extract/extracttest"
	"parley/internal/extract/prose"
	"parley/internal/extract/zipxml"
)

// readEntries reads the Office document that has these parts.
func readEntries(t *testing.T, entries map[string]string) (prose.Document, error) {
	t.Helper()
	return extracttest.Read(t, entries, decode)
}

func decode(out *prose.Output, a *zipxml.Archive) error {
	mediaType, _, err := MainPart(a)
	if err != nil {
		return err
	}
	switch mediaType {
	case DOCX:
		return ReadDOCX(out, a)
	case XLSX:
		return ReadXLSX(out, a)
	case PPTX:
		return ReadPPTX(out, a)
	default:
		return fmt.Errorf("no document of Office, but %q", mediaType)
	}
}
